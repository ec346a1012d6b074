"""Pages for people, their assets, and what monitoring reads."""

import re

ASSET = re.compile(r'(?:href|src)="(/assets/[^"]+)"')


def record(recorder):
    site = recorder.root("")
    assets = []
    for path in ("/", "/explorer"):
        assets += ASSET.findall(site.get(path).text)
        site.send("HEAD", path)
    for asset in dict.fromkeys(assets):
        etag = site.get(asset).etag
        site.get(asset, accept_encoding="gzip")
        site.get(asset, if_none_match=etag)
        site.send("HEAD", asset)
    site.get("/assets/nothing.css")
    site.get("/assets/")
    for path in (
        "/event/stone-carving-a-day-in-the-workshop",
        "/event/stone-carving-a-day-in-the-workshop/",
        "/event/sunrise-rowing-with-saoirse-zhou-10",
        "/event/plant-market-at-fishmarket-pier",
        "/event/monday-yoga-by-the-water-11",
        "/event/nothing",
        "/venue/dock-road-ballroom",
        "/venue/harbour-parish-hall",
        "/venue/harbour-parish-hall?page=2",
        "/venue/wojcik-bookshop",
        "/venue/nothing",
        "/organizer/chidi-laurent",
        "/organizer/vasquez-collective",
        "/organizer/nothing",
        "/category/music",
        "/category/technology",
        "/category/nothing",
        "/tag/free-entry",
        "/tag/nothing",
        "/nothing",
    ):
        site.get(path)
        site.get(path, accept="text/html")
    page = "/venue/dock-road-ballroom"
    site.get(page, if_none_match=site.get(page).etag)
    for user in ("ann", "ben", "Bearer x"):
        site.get("/event/monday-yoga-by-the-water-11", user)
    site.get(page, accept_language="es")
    site.get(page, accept="application/json")
    site.get(page, accept_encoding="gzip")
    site.get("/event/nothing", accept="application/problem+json")
    for path in ("/healthz", "/readyz"):
        site.get(path)
        site.send("HEAD", path)
        site.get(path, accept="text/html")
    site.get("/healthz/")
    recorder.names_of_metrics("/metrics")
