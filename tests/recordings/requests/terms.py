"""Creates, updates and deletes of categories and tags."""

BAD = [
    {},
    {"name": ""},
    {"name": "<b></b>"},
    {"name": 5, "description": 6, "slug": [], "parent": "x"},
    {"name": "x" * 201},
    {"name": "x", "parent": 99999},
    {"name": "x", "parent": -1},
    {"name": "x", "slug": "!!!"},
]


def record(recorder):
    api = recorder.root("/calendar/events/v1")
    for kind in ("categories", "tags"):
        write(api, kind)
    tree(api)
    api.get("/categories?hide_empty=false&orderby=id&order=desc&per_page=10")
    api.get("/tags?hide_empty=false&orderby=id&order=desc&per_page=10")


def write(api, kind):
    for body in BAD:
        api.post(f"/{kind}", body)
    api.post(f"/{kind}", {"name": "x"}, user=None)
    api.post(f"/{kind}", {"name": "x"}, user="ben")
    rock = {"name": "Rock & <i>Roll</i>", "description": "<p>Loud</p>", "slug": "Rock Roll"}
    path = f"/{kind}/{api.post(f'/{kind}', rock).id}"
    api.get(path)
    other = api.post(f"/{kind}", {"name": "Other", "unknown": 1}).id
    # Names that other terms have.
    for body in ({}, {"name": "OTHER"}, {"parent": 1}, {"name": "Fresh", "slug": "other"}):
        api.post(f"/{kind}", {"name": "Other"} | body)
    for body in (
        *({"name": "Other"}, {"name": "Rock"}, {"slug": "other"}, {"slug": "rock"}, {"slug": ""}, {"name": None}),
        *({"description": None}, {"description": "<script>x</script>y"}, {"parent": 0}, {"parent": None}, {}, *BAD[1:]),
    ):
        api.patch(path, body)
    body = api.get(path, "admin").json
    api.put(path, body)
    api.post(path, {"name": "By POST"})
    for method in ("PUT", "PATCH", "DELETE"):
        api.send(method, f"/{kind}/99999", "admin", {"name": "x"} if method != "DELETE" else None)
        api.send(method, path, "ben", {"name": "x"} if method != "DELETE" else None)
    api.delete(path)
    api.delete(path)
    api.delete(f"/{kind}/{other}")


def tree(api):
    """Categories above and below each other."""
    parent = api.post("/categories", {"name": "Parent"}).id
    child = api.post("/categories", {"name": "Child", "parent": str(parent)}).id
    grandchild = api.post("/categories", {"name": "Grandchild", "parent": child}).id
    for body in ({"parent": grandchild}, {"parent": parent}, {"parent": 99999}):
        api.patch(f"/categories/{parent}", body)
    api.patch(f"/categories/{grandchild}", {"parent": parent})
    api.patch(f"/categories/{grandchild}", {"parent": child})
    api.get(f"/categories?parent={parent}&hide_empty=false")
    api.delete(f"/categories/{child}")
    api.get(f"/categories/{grandchild}")
    # Its events remain, without it.
    api.delete("/categories/10")
    api.get("/events/1422")
    api.get("/events?categories=1&per_page=2")
