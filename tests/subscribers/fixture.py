"""Creates events whose times and texts are hard to write and to read."""

import api

ZONES = [
    "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "Africa/Casablanca", "Europe/Dublin",
    "Pacific/Apia", "UTC", "UTC+5:30", "UTC-3",
]
VENUE = {
    "venue": "Hall; \"A\"", "address": "Markt 1", "city": "Kiel", "zip": "24103", "country": "Germany",
    "geo_lat": 54.3233, "geo_lng": -10.1228,
}
DESCRIPTION = "<p>" + "Äpfel, Öl; Übung \\ 😀 & mehr. " * 20 + "</p><ul><li>One</li><li>Two</li></ul>"

for number, zone in enumerate(ZONES):
    for month in (1, 7):
        api.call("POST", "/events", {
            "title": f"{zone} in month {month}, at; noon\\", "timezone": zone,
            "start_date": f"2027-{month:02}-{number + 1:02} 12:00",
            "end_date": f"2027-{month:02}-{number + 1:02} 13:30",
        })
for title, start, end, fields in [
    ("All day", "2027-03-27", "2027-03-29", {"all_day": True}),
    ("Without duration", "2027-05-07 19:30", "2027-05-07 19:30", {}),
    ("Over the end of the year", "2026-12-31 23:00", "2027-01-01 03:00", {"timezone": "America/Los_Angeles"}),
    ("Before the clocks change", "2027-03-28 01:30", "2027-03-28 03:30", {}),
    ("First of two", "2027-10-31T02:15:00+02:00", "2027-10-31T02:45:00+02:00", {}),
    ("Second of two", "2027-10-31T02:15:00+01:00", "2027-10-31T02:45:00+01:00", {}),
    ("Far away", "2049-08-01 10:00", "2049-08-01 12:00", {}),
    ("With everything", "2027-05-08 10:00", "2027-05-08 12:00", {
        "description": DESCRIPTION, "excerpt": "<p>Short & <b>sweet</b></p>", "venue": VENUE,
        "organizer": {"organizer": "Ann, Inc.", "email": "ann@example.org"}, "categories": ["Jazz, Blues"],
        "tags": ["free"], "image": "https://example.org/a,b;c.jpg", "featured": True, "cost": "12 €",
    }),
]:
    api.call("POST", "/events", {"title": title, "start_date": start, "end_date": end, **fields})
