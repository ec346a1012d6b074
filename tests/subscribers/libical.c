// Reads a calendar from standard input with libical, and prints a line for each event: its identifier, title, start and
// end in UTC, URL and categories, separated by tabs.

#include <libical/ical.h>
#include <stdio.h>

static char text[1 << 24];

static void print_time(struct icaltimetype time)
{
    if (!icaltime_is_date(time))
        time = icaltime_convert_to_zone(time, icaltimezone_get_utc_timezone());
    printf("\t%s", icaltime_as_ical_string(time));
}

static void print_event(icalcomponent *event)
{
    struct icaltimetype start = icalcomponent_get_dtstart(event);
    struct icaltimetype end = icalcomponent_get_dtend(event);
    icalproperty *url = icalcomponent_get_first_property(event, ICAL_URL_PROPERTY);

    printf("%s\t%s", icalcomponent_get_uid(event), icalcomponent_get_summary(event));
    print_time(start);
    print_time(icaltime_is_null_time(end) ? start : end);
    printf("\t%s", url == NULL ? "" : icalproperty_get_url(url));
    for (icalproperty *category = icalcomponent_get_first_property(event, ICAL_CATEGORIES_PROPERTY); category != NULL;
         category = icalcomponent_get_next_property(event, ICAL_CATEGORIES_PROPERTY))
        printf("\t%s", icalproperty_get_categories(category));
    putchar('\n');
}

int main(void)
{
    fread(text, 1, sizeof text - 1, stdin);
    icalcomponent *calendar = icalparser_parse_string(text);
    if (calendar == NULL)
        return 1;
    if (icalcomponent_count_errors(calendar) > 0) {
        // With X-LIC-ERROR at each error.
        fputs(icalcomponent_as_ical_string(calendar), stderr);
        return 1;
    }
    for (icalcomponent *event = icalcomponent_get_first_component(calendar, ICAL_VEVENT_COMPONENT); event != NULL;
         event = icalcomponent_get_next_component(calendar, ICAL_VEVENT_COMPONENT))
        print_event(event);
    return 0;
}
