//! The common kinds of rules in words.

use crate::calendar::{
    Language,
    recurrence::{Recurrence, tests::local},
    zone::Zone,
};

/// Start, rule, and the rule in English and in Spanish.
const COMMON: [(&str, &str, &str, &str); 67] = [
    // Days.
    ("2027-01-05", "FREQ=DAILY", "every day", "todos los días"),
    ("2027-01-05", "FREQ=DAILY;INTERVAL=2", "every 2 days", "cada 2 días"),
    (
        "2027-01-05",
        "FREQ=DAILY;COUNT=10",
        "every day, 10 times",
        "todos los días, 10 veces",
    ),
    (
        "2027-01-05",
        "FREQ=DAILY;COUNT=1",
        "every day, once",
        "todos los días, una vez",
    ),
    (
        "2027-01-05",
        "FREQ=DAILY;UNTIL=20270331",
        "every day until 31 March 2027",
        "todos los días hasta el 31 de marzo de 2027",
    ),
    (
        "2027-01-05",
        "FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR",
        "every day from Monday to Friday",
        "todos los días de lunes a viernes",
    ),
    (
        "2027-07-05",
        "FREQ=DAILY;BYMONTH=7",
        "every day in July",
        "todos los días en julio",
    ),
    (
        "2027-07-05",
        "FREQ=DAILY;BYMONTH=6,7,8",
        "every day from June to August",
        "todos los días de junio a agosto",
    ),
    (
        "2027-07-05",
        "FREQ=DAILY;INTERVAL=3;BYMONTH=7",
        "every 3 days, only in July",
        "cada 3 días, solo en julio",
    ),
    (
        "2027-01-05",
        "FREQ=DAILY;BYHOUR=19,21",
        "every day at 19:00 and 21:00",
        "todos los días a las 19:00 y a las 21:00",
    ),
    (
        "2027-01-05",
        "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA,SU",
        "every day",
        "todos los días",
    ),
    // Weeks.
    ("2027-01-05", "FREQ=WEEKLY", "every Tuesday", "todos los martes"),
    (
        "2027-01-05",
        "FREQ=WEEKLY;BYDAY=TU;UNTIL=20271231T235959",
        "every Tuesday until 31 December 2027",
        "todos los martes hasta el 31 de diciembre de 2027",
    ),
    (
        "2027-01-05",
        "FREQ=WEEKLY;COUNT=52",
        "every Tuesday, 52 times",
        "todos los martes, 52 veces",
    ),
    (
        "2027-01-05",
        "FREQ=WEEKLY;BYDAY=TU,TH",
        "every Tuesday and Thursday",
        "todos los martes y jueves",
    ),
    (
        "2027-01-04",
        "FREQ=WEEKLY;BYDAY=MO,WE,FR",
        "every Monday, Wednesday and Friday",
        "todos los lunes, miércoles y viernes",
    ),
    (
        "2027-01-09",
        "FREQ=WEEKLY;BYDAY=SA,SU",
        "every Saturday and Sunday",
        "todos los sábados y domingos",
    ),
    (
        "2027-01-05",
        "FREQ=WEEKLY;BYDAY=TU,WE,TH,FR,SA",
        "every day from Tuesday to Saturday",
        "todos los días de martes a sábado",
    ),
    (
        "2027-01-05",
        "FREQ=WEEKLY;INTERVAL=2",
        "every 2 weeks on Tuesday",
        "cada 2 semanas, los martes",
    ),
    (
        "2027-01-05",
        "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,TH;COUNT=8",
        "every 2 weeks on Tuesday and Thursday, 8 times",
        "cada 2 semanas, los martes y jueves, 8 veces",
    ),
    (
        "2027-01-05",
        "FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,TU;WKST=SU",
        "every 2 weeks on Tuesday and Sunday (weeks start on Sunday)",
        "cada 2 semanas, los martes y domingos (las semanas empiezan en domingo)",
    ),
    (
        "2027-01-05",
        "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TU,WE,TH,FR",
        "every 2 weeks from Monday to Friday",
        "cada 2 semanas, de lunes a viernes",
    ),
    (
        "2027-06-01",
        "FREQ=WEEKLY;BYMONTH=6,7",
        "every Tuesday in June and July",
        "todos los martes en junio y julio",
    ),
    (
        "2027-06-01",
        "FREQ=WEEKLY;INTERVAL=2;BYMONTH=6,7,8",
        "every 2 weeks on Tuesday, only from June to August",
        "cada 2 semanas, los martes, solo de junio a agosto",
    ),
    (
        "2027-01-05 01:30",
        "FREQ=WEEKLY;BYHOUR=1,19;BYMINUTE=30",
        "every Tuesday at 01:30 and 19:30",
        "todos los martes a la 01:30 y a las 19:30",
    ),
    // Months, by day.
    (
        "2027-01-05",
        "FREQ=MONTHLY",
        "every month on the 5th",
        "el día 5 de cada mes",
    ),
    (
        "2027-01-01",
        "FREQ=MONTHLY;BYMONTHDAY=1,15",
        "every month on the 1st and the 15th",
        "el día 1 y el día 15 de cada mes",
    ),
    (
        "2027-01-31",
        "FREQ=MONTHLY;BYMONTHDAY=-1",
        "every month on the last day",
        "el último día de cada mes",
    ),
    (
        "2027-01-30",
        "FREQ=MONTHLY;BYMONTHDAY=-2",
        "every month on the 2nd-to-last day",
        "el penúltimo día de cada mes",
    ),
    (
        "2027-01-31",
        "FREQ=MONTHLY",
        "every month on the 31st, if there is one",
        "el día 31 de cada mes, si existe",
    ),
    (
        "2027-01-31",
        "FREQ=MONTHLY;UNTIL=20271231",
        "every month on the 31st, if there is one, until 31 December 2027",
        "el día 31 de cada mes, si existe, hasta el 31 de diciembre de 2027",
    ),
    (
        "2027-01-05",
        "FREQ=MONTHLY;INTERVAL=3",
        "every 3 months on the 5th",
        "cada 3 meses, el día 5",
    ),
    (
        "2027-01-05",
        "FREQ=MONTHLY;BYMONTH=1,7",
        "every month on the 5th, only in January and July",
        "el día 5 de cada mes, solo en enero y julio",
    ),
    (
        "2027-08-13",
        "FREQ=MONTHLY;BYMONTHDAY=13;BYDAY=FR",
        "every month on the 13th, if it is a Friday",
        "el día 13 de cada mes, si es viernes",
    ),
    (
        "2027-01-01",
        "FREQ=MONTHLY;BYMONTHDAY=1;BYDAY=SA,SU,FR;UNTIL=20301231",
        "every month on the 1st, if it is a Friday, a Saturday or a Sunday, until 31 December 2030",
        "el día 1 de cada mes, si es viernes, sábado o domingo, hasta el 31 de diciembre de 2030",
    ),
    (
        "2027-01-03",
        "FREQ=MONTHLY;BYMONTHDAY=1,2,3,4,5,6,7;BYDAY=SU",
        "every month from the 1st to the 7th, if it is a Sunday",
        "del día 1 al día 7 de cada mes, si es domingo",
    ),
    // Months, by day of the week.
    (
        "2027-01-12",
        "FREQ=MONTHLY;BYDAY=2TU",
        "every second Tuesday of the month",
        "el segundo martes de cada mes",
    ),
    (
        "2027-01-12",
        "FREQ=MONTHLY;BYDAY=2TU;UNTIL=20271231T235959",
        "every second Tuesday of the month until 31 December 2027",
        "el segundo martes de cada mes hasta el 31 de diciembre de 2027",
    ),
    (
        "2027-01-29",
        "FREQ=MONTHLY;BYDAY=-1FR",
        "every last Friday of the month",
        "el último viernes de cada mes",
    ),
    (
        "2027-01-22",
        "FREQ=MONTHLY;BYDAY=-2FR",
        "every second-to-last Friday of the month",
        "el penúltimo viernes de cada mes",
    ),
    (
        "2027-01-29",
        "FREQ=MONTHLY;BYDAY=5FR",
        "every fifth Friday of the month",
        "el quinto viernes de cada mes",
    ),
    (
        "2027-01-04",
        "FREQ=MONTHLY;BYDAY=1MO,3MO",
        "every first and third Monday of the month",
        "el primer lunes y el tercer lunes de cada mes",
    ),
    (
        "2027-01-04",
        "FREQ=MONTHLY;BYDAY=1MO,-1FR",
        "every month on the first Monday and the last Friday",
        "el primer lunes y el último viernes de cada mes",
    ),
    (
        "2027-01-12",
        "FREQ=MONTHLY;INTERVAL=2;BYDAY=2TU",
        "every 2 months on the second Tuesday",
        "cada 2 meses, el segundo martes",
    ),
    (
        "2027-01-12",
        "FREQ=MONTHLY;BYDAY=2TU;BYMONTH=1,2,3",
        "every second Tuesday of the month, only from January to March",
        "el segundo martes de cada mes, solo de enero a marzo",
    ),
    (
        "2027-01-05",
        "FREQ=MONTHLY;BYDAY=TU",
        "every Tuesday",
        "todos los martes",
    ),
    (
        "2027-01-29",
        "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
        "every month on the last weekday (Monday to Friday)",
        "el último día laborable (de lunes a viernes) de cada mes",
    ),
    (
        "2027-01-01",
        "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=1",
        "every month on the first weekday (Monday to Friday)",
        "el primer día laborable (de lunes a viernes) de cada mes",
    ),
    (
        "2027-01-02",
        "FREQ=MONTHLY;BYDAY=SA,SU;BYSETPOS=1",
        "every month on the first weekend day",
        "el primer día de fin de semana de cada mes",
    ),
    (
        "2027-01-31",
        "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYSETPOS=-1;INTERVAL=2",
        "every 2 months on the last day",
        "cada 2 meses, el último día",
    ),
    (
        "2027-01-07",
        "FREQ=MONTHLY;BYDAY=TU,WE,TH;BYSETPOS=3",
        "every month on the third day that is a Tuesday, a Wednesday or a Thursday",
        "el tercer día que sea martes, miércoles o jueves de cada mes",
    ),
    // Years.
    (
        "2027-12-24",
        "FREQ=YEARLY",
        "every year on 24 December",
        "el 24 de diciembre de cada año",
    ),
    (
        "2027-12-24",
        "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24;COUNT=3",
        "every year on 24 December, 3 times",
        "el 24 de diciembre de cada año, 3 veces",
    ),
    (
        "2028-02-29",
        "FREQ=YEARLY",
        "every year on 29 February, if there is one",
        "el 29 de febrero de cada año, si existe",
    ),
    (
        "2028-02-29",
        "FREQ=YEARLY;INTERVAL=4",
        "every 4 years on 29 February, if there is one",
        "cada 4 años, el 29 de febrero, si existe",
    ),
    (
        "2027-02-28",
        "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=-1",
        "every year on the last day of February",
        "el último día de febrero de cada año",
    ),
    (
        "2027-06-01",
        "FREQ=YEARLY;BYMONTH=6,7;BYMONTHDAY=1,15",
        "every year on 1 June, 15 June, 1 July and 15 July",
        "el 1 de junio, el 15 de junio, el 1 de julio y el 15 de julio de cada año",
    ),
    (
        "2027-06-10",
        "FREQ=YEARLY;BYMONTH=6,7",
        "every year on 10 June and 10 July",
        "el 10 de junio y el 10 de julio de cada año",
    ),
    (
        "2027-11-25",
        "FREQ=YEARLY;BYMONTH=11;BYDAY=4TH",
        "every year on the fourth Thursday of November",
        "el cuarto jueves de noviembre de cada año",
    ),
    (
        "2027-05-31",
        "FREQ=YEARLY;BYMONTH=5,8;BYDAY=-1MO",
        "every year on the last Monday of May and August",
        "el último lunes de mayo y de agosto de cada año",
    ),
    (
        "2027-05-17",
        "FREQ=YEARLY;BYDAY=20MO",
        "every year on the 20th Monday of the year",
        "el 20.º lunes de cada año",
    ),
    (
        "2028-11-07",
        "FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8",
        "every 4 years from 2 to 8 November, if it is a Tuesday",
        "cada 4 años, del 2 al 8 de noviembre, si es martes",
    ),
    (
        "2027-12-31",
        "FREQ=YEARLY;BYMONTH=12;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
        "every year on the last weekday (Monday to Friday) of December",
        "el último día laborable (de lunes a viernes) de diciembre de cada año",
    ),
    (
        "2027-04-10",
        "FREQ=YEARLY;BYYEARDAY=100,-1",
        "every year on the 100th and the last day of the year",
        "el día 100 y el último día de cada año",
    ),
    (
        "2027-05-17",
        "FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO",
        "every year on Monday of week 20 of the year",
        "los lunes de la semana 20 de cada año",
    ),
    (
        "2027-03-04",
        "FREQ=YEARLY;BYMONTH=3;BYDAY=TH",
        "every Thursday in March",
        "todos los jueves en marzo",
    ),
    (
        "2027-01-13",
        "FREQ=YEARLY;BYMONTHDAY=13",
        "every month on the 13th",
        "el día 13 de cada mes",
    ),
];

/// The rule with a start at 19:00, unless a time is given.
fn recurrence(start: &str, lines: &str) -> Recurrence {
    let start = if start.contains(' ') {
        start.to_owned()
    } else {
        format!("{start} 19:00")
    };
    Recurrence::parse(lines, local(&start), false, &Zone::UTC).unwrap_or_else(|errors| panic!("{lines}: {errors}"))
}

fn words(recurrence: &Recurrence) -> [String; 2] {
    [Language::En, Language::Es].map(|language| recurrence.in_words(language))
}

#[test]
fn common_rules() {
    for (start, rule, english, spanish) in COMMON {
        let recurrence = recurrence(start, &format!("RRULE:{rule}"));
        assert_eq!(words(&recurrence), [english, spanish], "{rule}");
    }
}

#[test]
fn other_rules() {
    for (start, rule, english, spanish) in [
        (
            "2027-01-05",
            "FREQ=DAILY;INTERVAL=3;BYDAY=TU,TH",
            "every 3 days, on days that are a Tuesday or a Thursday",
            "cada 3 días, los días que cumplen esta condición: un martes o un jueves",
        ),
        (
            "2027-01-01",
            "FREQ=YEARLY;INTERVAL=2;BYMONTH=1,3;BYMONTHDAY=1,-1;BYDAY=1FR,-1SU;UNTIL=20301231",
            "every 2 years, on days that are all of: in January and March; the 1st or the last day of the month; the \
             first Friday of the month or the last Sunday of the month, until 31 December 2030",
            "cada 2 años, los días que cumplen todas estas condiciones: en enero y marzo; el día 1 o el último día del \
             mes; el primer viernes del mes o el último domingo del mes, hasta el 31 de diciembre de 2030",
        ),
        (
            "2027-01-01",
            "FREQ=YEARLY;BYYEARDAY=1,2;BYDAY=FR;BYHOUR=19,20;BYSETPOS=-4,1",
            "every year, on days that are all of: the 1st or the 2nd day of the year; a Friday, and of those only the \
             1st and 4th-to-last of the year at 19:00 and 20:00",
            "todos los años, los días que cumplen todas estas condiciones: el día 1 o el día 2 del año; un viernes, y \
             de esos solo el 1.º y el 4.º desde el final del año a las 19:00 y a las 20:00",
        ),
        (
            "2027-01-04",
            "FREQ=YEARLY;BYWEEKNO=1,-1;BYMONTH=1,12;BYDAY=MO",
            "every year, on days that are all of: in January and December; in week 1 or the last week of the year; a \
             Monday",
            "todos los años, los días que cumplen todas estas condiciones: en enero y diciembre; en la semana 1 o la \
             última semana del año; un lunes",
        ),
    ] {
        let recurrence = recurrence(start, &format!("RRULE:{rule}"));
        assert_eq!(words(&recurrence), [english, spanish], "{rule}");
    }
}

#[test]
fn dates() {
    for (lines, english, spanish) in [
        (
            "RDATE:20270107T190000",
            "on 5 January 2027 and 7 January 2027",
            "el 5 de enero de 2027 y el 7 de enero de 2027",
        ),
        (
            "RDATE:20270107T190000,20270108T150000,20270210T190000",
            "on 4 dates from 5 January 2027 to 10 February 2027",
            "en 4 fechas, del 5 de enero de 2027 al 10 de febrero de 2027",
        ),
        (
            "RRULE:FREQ=WEEKLY\nRDATE:20270108T150000\nEXDATE:20270112T190000",
            "every Tuesday, and also on 8 January 2027 at 15:00, except on 12 January 2027",
            "todos los martes, y además el 8 de enero de 2027 a las 15:00, excepto el 12 de enero de 2027",
        ),
        (
            "RRULE:FREQ=WEEKLY;COUNT=9\nRDATE:20270108T010000,20270109T190000,20270110T190000,20270111T190000\n\
             EXDATE:20270112T190000,20270119T190000,20270126T190000,20270202T190000",
            "every Tuesday, 9 times, and also on 4 other dates from 8 January 2027 to 11 January 2027, except on 4 \
             dates from 12 January 2027 to 2 February 2027",
            "todos los martes, 9 veces, y además en otras 4 fechas, del 8 de enero de 2027 al 11 de enero de 2027, \
             excepto en 4 fechas, del 12 de enero de 2027 al 2 de febrero de 2027",
        ),
    ] {
        assert_eq!(words(&recurrence("2027-01-05", lines)), [english, spanish], "{lines}");
    }
}

/// The last date is one on which the event may take place.
#[test]
fn until() {
    for (rule, english, spanish) in [
        (
            "FREQ=DAILY;UNTIL=20270110T190000",
            "until 10 January 2027",
            "hasta el 10 de enero de 2027",
        ),
        (
            "FREQ=DAILY;UNTIL=20270110T185959",
            "until 9 January 2027",
            "hasta el 9 de enero de 2027",
        ),
        (
            "FREQ=DAILY;UNTIL=20270101T120000",
            "until 31 December 2026",
            "hasta el 31 de diciembre de 2026",
        ),
        (
            "FREQ=DAILY;BYHOUR=10,19;UNTIL=20270110T120000",
            "until 10 January 2027 at 12:00",
            "hasta el 10 de enero de 2027 a las 12:00",
        ),
    ] {
        let recurrence = Recurrence::from_stored(&format!("RRULE:{rule}"), local("2027-01-01 19:00"), false);
        let [in_english, in_spanish] = words(&recurrence.expect(rule));
        assert!(in_english.ends_with(english), "{in_english}");
        assert!(in_spanish.ends_with(spanish), "{in_spanish}");
    }
}

#[test]
fn all_day_events() {
    let start = local("2027-01-05 00:00");
    let lines = "RRULE:FREQ=WEEKLY;UNTIL=20270202\nEXDATE;VALUE=DATE:20270112";
    let recurrence = Recurrence::parse(lines, start, true, &Zone::UTC).expect("a rule");
    assert_eq!(
        words(&recurrence),
        [
            "every Tuesday until 2 February 2027, except on 12 January 2027",
            "todos los martes hasta el 2 de febrero de 2027, excepto el 12 de enero de 2027",
        ]
    );
}
