//! The event types, and the templates of their titles and descriptions.
//!
//! No title ends in a digit: its slug could equal that of another title with a numeric suffix.

use super::event_type::{EventType, Schedule, VenueType};

/// Sentences for events with a venue.
pub(super) const PRACTICAL_SENTENCES: &[&str] = &[
    "Doors open half an hour before the start, and latecomers are let in at the first break.",
    "{venue} is a short walk from the bus stop, and there are racks for bicycles by the entrance.",
    "The building has a step-free entrance, and assistance dogs are as welcome as their people.",
    "Please book ahead if you can: places are limited, and the last events sold out within days.",
    "Under-sixteens are welcome in the company of an adult, and pay nothing.",
    "If you need an interpreter or a seat near the front, write to {organizer} a week before.",
    "Tea, coffee and something small to eat are on sale; bring your own cup and save a little.",
    "Parking around {venue} is scarce in the evening, so come by bus, by ferry or on foot.",
    "Proceeds go towards the upkeep of {venue}, which volunteers have looked after for years.",
    "The whole event takes place in English, with a short welcome in Irish.",
    "Photographs will be taken; tell the team at the door if you would rather not be in them.",
    "Students, seniors and people out of work pay what they can at the door.",
];

/// Sentences for online events.
pub(super) const ONLINE_PRACTICAL_SENTENCES: &[&str] = &[
    "The link is sent to everybody who has registered, one day and again one hour before the start.",
    "A recording with subtitles is online for four weeks, so the time of day is no excuse.",
    "All times are those of our hosts; the link shows you what they are where you live.",
    "Questions are collected in the chat, and the ones with most votes are asked first.",
    "No account is needed: any recent browser will do, on a telephone too.",
    "Slides and further reading are shared afterwards under a free licence.",
];

/// Festivals, which other events belong to.
pub(super) const FESTIVAL: EventType = EventType {
    name: "festival",
    weight: 0,
    venue_type: VenueType::Outdoors,
    schedule: Schedule::AllDay(2..=5),
    start_hours: 0..=0,
    durations: &[],
    price: Some((25, 90)),
    categories: &["Festivals", "Music", "Community"],
    tags: &["outdoors", "live music", "family friendly", "rain or shine", "volunteers wanted"],
    titles: &[
        "Festival of {theme}", "{theme} Festival", "{landmark} Festival", "Port Corrigan {pastime} Festival",
        "{craft} Weekend", "{landmark} Music Days", "Feast of {food}", "{theme} Film Days",
    ],
    openings: &[
        "For a few days the streets around {venue} belong to everyone who sings, cooks, builds or just looks on.",
        "What began as one evening among friends has become the days for which people come home to {town}.",
        "From the first morning to the last dance there is something on at every corner of {venue}.",
    ],
    details: &[
        "More than forty concerts, readings and workshops are spread over stages large and small.",
        "The opening is free for all, with {act} on the main stage at sunset.",
        "A festival pass covers every event; single tickets are sold where places remain.",
        "Over a hundred volunteers make it possible, and a few more would be very welcome.",
        "Late ferries and buses run every twenty minutes until one in the morning.",
    ],
};

/// All other event types.
pub(super) const EVENT_TYPES: &[EventType] = &[
    EventType {
        name: "jazz",
        weight: 4,
        venue_type: VenueType::Stage,
        schedule: Schedule::Weekly(10),
        start_hours: 19..=21,
        durations: &[120, 150, 180],
        price: Some((10, 28)),
        categories: &["Jazz", "Music"],
        tags: &["live music", "late night", "drinks served", "local artists"],
        titles: &[
            "Harbour Jazz Night: {act}", "{weekday} Swing with {act}", "{landmark} Jazz Session", "{act} {ensemble}",
            "{person} {ensemble}", "Blue Notes at {venue}",
        ],
        openings: &[
            "{act} bring two sets of original tunes and a handful of standards to the low stage of {venue}.",
            "The lights go down, the talk goes quiet, and {person} counts in the first number of the night.",
            "The longest-running jazz evening in {town} goes on, with a house band that never plays a tune the same way twice.",
        ],
        details: &[
            "The first set stays close to the tradition of the great quintets; the second goes wherever it likes.",
            "After the break the stage is open to anyone who has brought an instrument and some courage.",
            "Pianist {person} has just come back from a winter of clubs in Copenhagen and Lisbon.",
            "The room holds eighty people, and the best seats are the ones at the bar.",
            "Expect odd metres, long solos and a ballad or two that will stop all conversation.",
        ],
    },
    EventType {
        name: "classical",
        weight: 10,
        venue_type: VenueType::Stage,
        schedule: Schedule::Once,
        start_hours: 16..=20,
        durations: &[75, 90, 120],
        price: Some((12, 45)),
        categories: &["Classical", "Music"],
        tags: &["live music", "matinée", "choir", "students"],
        titles: &[
            "{composer} by Candlelight", "An Evening of {composer}", "{person} Plays {composer}",
            "Chamber Music: {composer} and {other composer}", "Choral Evensong with {composer}",
            "Lunchtime {composer} with {person}",
        ],
        openings: &[
            "The young players of the conservatoire present chamber works by {composer} in the fine acoustics of {venue}.",
            "Three weeks of rehearsal end in one evening of {composer}, played as if the ink were still wet.",
            "{person} returns to {town} with music by {composer} that is hardly ever heard on this coast.",
        ],
        details: &[
            "A short introduction a quarter of an hour before the concert tells how the pieces came to be written.",
            "The second half is given to one large work, and nobody should plan on catching the early bus.",
            "Between the movements of {composer} the ensemble has placed new miniatures by composers from the region.",
            "The instruments are copies of those that the composer knew, and sound warmer than you expect.",
            "The programme takes seventy minutes and is played without an interval.",
        ],
    },
    EventType {
        name: "folk",
        weight: 3,
        venue_type: VenueType::Restaurant,
        schedule: Schedule::Weekly(14),
        start_hours: 19..=21,
        durations: &[120, 180],
        price: None,
        categories: &["Folk", "Music"],
        tags: &["live music", "open mic", "Irish language", "drinks served"],
        titles: &[
            "{weekday} Session at {venue}", "{landmark} Singers’ Circle", "Slow Session with {person}",
            "Sea Shanties with {act}", "Fiddles and Tall Tales at {venue}", "{weekday} Night Céilí",
        ],
        openings: &[
            "Bring a fiddle, a flute or just a voice: the corner table at {venue} is kept for whoever wants to play.",
            "{person} leads a gentle session for people who know a few tunes and would like to know a few more.",
            "Shanties, ballads and one or two songs about the weather, sung the way they are sung on the boats.",
        ],
        details: &[
            "Tunes are played slowly enough to pick up by ear, and sheet music stays in its bag.",
            "Around ten the tables are pushed aside, and those who know the steps show those who do not.",
            "Visitors from other shores are asked for a song of their own, in whatever language it comes.",
            "Some of the regulars have been coming for thirty years, and are generous with what they know.",
            "There is no stage and no microphone, so sit close and sing along with the choruses.",
        ],
    },
    EventType {
        name: "electronic",
        weight: 7,
        venue_type: VenueType::Stage,
        schedule: Schedule::Once,
        start_hours: 21..=23,
        durations: &[240, 300, 360],
        price: Some((8, 25)),
        categories: &["Electronic", "Music"],
        tags: &["late night", "LGBTQ+", "drinks served", "debut"],
        titles: &[
            "{theme}: All Night Long", "{act} (Live)", "Modular Night with {person}", "{landmark} Warehouse Session",
            "{theme} Label Night",
        ],
        openings: &[
            "{act} play live, with more cables than is sensible, until the first bus leaves for the suburbs.",
            "One room, one sound system, four hours: {person} builds a night from drones to breakneck rhythms.",
            "The people behind {theme} take over {venue} with new releases and a few old favourites.",
        ],
        details: &[
            "The visuals are made on the spot from slides found in the attic of the old customs house.",
            "Support comes from three producers who all learned their trade in the youth centre down the road.",
            "Earplugs are free at the bar, the water is too, and a quiet room is open all night.",
            "Before midnight the floor is seated, and the music slow enough to think.",
            "Phones are welcome to stay in pockets; what happens on the floor is nobody else’s business.",
        ],
    },
    EventType {
        name: "theatre",
        weight: 12,
        venue_type: VenueType::Stage,
        schedule: Schedule::Once,
        start_hours: 18..=20,
        durations: &[90, 120, 150],
        price: Some((14, 38)),
        categories: &["Theatre", "Stage & Screen"],
        tags: &["new work", "sign language", "relaxed performance", "matinée"],
        titles: &[
            "“{theme}”, a Play by {person}", "“{theme}” (Preview)", "Rehearsed Reading: “{theme}”",
            "{person} in “{theme}”", "One Night Only: “{theme}”",
        ],
        openings: &[
            "Two sisters, one lighthouse and a letter that was never posted: <em>{theme}</em> comes to {venue}.",
            "In <em>{theme}</em> {person} plays all eleven members of a family that can’t agree on a funeral.",
            "A village waits for a ferry that does not come, and {person} has written down what is said meanwhile.",
        ],
        details: &[
            "The critics called it the funniest sad play of the season, or the other way round.",
            "After the performance the cast stays for a conversation with the audience.",
            "The set is built from the timbers of a trawler that was broken up last spring.",
            "The production toured eleven islands in the summer and has come home with a new ending.",
            "One performance a week is interpreted into sign language, from the side of the stage.",
        ],
    },
    EventType {
        name: "comedy",
        weight: 3,
        venue_type: VenueType::Restaurant,
        schedule: Schedule::Weekly(8),
        start_hours: 20..=21,
        durations: &[90, 120],
        price: Some((8, 18)),
        categories: &["Comedy", "Stage & Screen"],
        tags: &["drinks served", "open mic", "late night"],
        titles: &[
            "{weekday} Night Stand-Up", "{person}: {theme}", "New Jokes at {venue}", "Improv Duel: {act}",
            "{landmark} Comedy Cellar",
        ],
        openings: &[
            "Five comedians try out what they have written since last week, and {person} keeps the peace.",
            "{person} has spent a year on ferries and has a great deal to say about the people on them.",
            "Two teams, no script and a bell: the audience decides what happens next at {venue}.",
        ],
        details: &[
            "Some of the jokes are finished, some are not, and finding out is half the fun.",
            "The front row is safe, more or less; the second row should be on its guard.",
            "Last season’s winner went on to the big festivals and will drop in without warning.",
            "There is one interval, in which the jokes that failed are buried with full honours.",
        ],
    },
    EventType {
        name: "dance",
        weight: 3,
        venue_type: VenueType::Room,
        schedule: Schedule::Weekly(10),
        start_hours: 17..=20,
        durations: &[60, 90, 120],
        price: Some((6, 15)),
        categories: &["Dance", "Stage & Screen"],
        tags: &["for beginners", "hands-on", "seniors", "weekly", "wellbeing"],
        titles: &[
            "{weekday} Tango for Beginners", "Lindy Hop with {person}", "Set Dancing at {venue}",
            "Contemporary Dance Lab: {theme}", "Salsa by the Water", "{weekday} Tea Dance",
        ],
        openings: &[
            "No partner, no experience and no special shoes are needed: {person} starts from the very first step.",
            "An hour of steps, an hour of dancing, and live music on the last evening of the month.",
            "Dancers of all ages work with {person} on short pieces that are shown to friends at the end.",
        ],
        details: &[
            "Partners change every few minutes, so that everybody dances with everybody.",
            "The floor of {venue} was laid for dancing a hundred years ago, and has forgiven worse.",
            "Each evening begins with the basics again, which makes it easy to join late in the term.",
            "Wear something in which you can move, and bring water and a second shirt.",
        ],
    },
    EventType {
        name: "film",
        weight: 14,
        venue_type: VenueType::Stage,
        schedule: Schedule::Once,
        start_hours: 15..=21,
        durations: &[90, 105, 120, 135],
        price: Some((7, 11)),
        categories: &["Film", "Stage & Screen"],
        tags: &["matinée", "students", "relaxed performance", "debut"],
        titles: &[
            "Film Club: “{theme}”", "“{theme}” with Live Score", "“{theme}”: Screening and Talk with {person}",
            "Silent Film Night: “{theme}”", "Short Films from {landmark}", "Matinée: “{theme}”",
        ],
        openings: &[
            "<em>{theme}</em> is shown from a print that was thought lost until it turned up in a garage in {town}.",
            "A fisherman, a strike and the most beautiful storm in cinema: <em>{theme}</em> on the big screen.",
            "{person} spent four winters on <em>{theme}</em>, and comes to {venue} to talk about them.",
        ],
        details: &[
            "The film is shown in the original language with English subtitles.",
            "A short from the local film school precedes it, as always.",
            "{act} play live to the pictures, on instruments that you will not have seen before.",
            "Members of the film club get in free and may bring one friend.",
            "The discussion afterwards is moved to the bar, and has been known to outlast the film.",
        ],
    },
    EventType {
        name: "exhibition",
        weight: 7,
        venue_type: VenueType::Gallery,
        schedule: Schedule::MultiDay(10..=60),
        start_hours: 10..=11,
        durations: &[360, 420, 480],
        price: Some((5, 12)),
        categories: &["Exhibitions", "Art"],
        tags: &["local artists", "photography", "new work", "wheelchair accessible", "students"],
        titles: &[
            "{theme}: Photographs by {person}", "{person}: {theme}", "{theme}: New Prints from the {landmark} Studios",
            "The {landmark} in Pictures", "{theme}: Glass, Clay and Rope", "Drawing the Coast with {person}",
        ],
        openings: &[
            "{person} has walked the shore from {town} to the cape, and shows what the sea gave back.",
            "Forty works on paper, most of them seen for the first time, fill both floors of {venue}.",
            "In <em>{theme}</em> twelve artists from around the harbour look at the water from the other side.",
        ],
        details: &[
            "The large panoramas in the last room were exposed over a whole night each.",
            "Guided tours leave from the desk on Sundays, and last three quarters of an hour.",
            "A book with all pictures and an essay by {other person} has been published to go with it.",
            "Children get a map, a pencil and eight riddles, and a stamp if they solve them.",
            "The artist is in the studio next door most afternoons, and the door is open.",
        ],
    },
    EventType {
        name: "talk",
        weight: 14,
        venue_type: VenueType::Room,
        schedule: Schedule::Once,
        start_hours: 17..=19,
        durations: &[60, 75, 90],
        price: None,
        categories: &["Talks", "Learning"],
        tags: &["free entry", "science", "history", "environment", "booking required"],
        titles: &[
            "{topic}: A Talk by {person}", "{person} on {topic}", "{topic}: An Evening with {person}",
            "Ask a Scientist: {topic}", "{topic} (Lecture and Discussion)",
        ],
        openings: &[
            "{person} has worked on the subject for twenty years, and will explain it without a single formula.",
            "Everybody has an opinion on it and few know the facts: {person} sorts one from the other at {venue}.",
            "It is closer to everyday life in {town} than one would think, as {person} shows with many examples.",
        ],
        details: &[
            "The talk takes forty minutes; the questions take as long as they take.",
            "A small display of books and objects can be looked at before and after.",
            "No knowledge is assumed, and no question is too simple to be asked.",
            "The evening belongs to a series in which researchers meet the people who pay for them.",
            "{other person} will reply, and has promised not to agree with everything.",
        ],
    },
    EventType {
        name: "workshop",
        weight: 10,
        venue_type: VenueType::Gallery,
        schedule: Schedule::Once,
        start_hours: 9..=14,
        durations: &[120, 180, 240, 360],
        price: Some((20, 65)),
        categories: &["Workshops", "Learning"],
        tags: &["hands-on", "crafts", "for beginners", "booking required", "sustainability"],
        titles: &[
            "{craft} for Beginners", "{craft} with {person}", "Introduction to {craft}", "{craft}: A Day in the Workshop",
            "Family Workshop: {craft}",
        ],
        openings: &[
            "In one long session {person} shows the tools, the tricks and the usual mistakes of {craft}.",
            "Eight people, one big table and everything that {craft} needs: come as you are and take home what you make.",
            "{craft} looks harder than it is, says {person}, who learned it at {venue} and has never stopped.",
        ],
        details: &[
            "All materials are provided, and so is an apron; old clothes are still a good idea.",
            "The group is kept small, so that there is time for each pair of hands.",
            "Pieces that have to dry or be fired can be collected a week later.",
            "The morning is for learning the basics, the rest for a piece of your own.",
            "A leaflet with addresses and recipes helps you to go on at home.",
        ],
    },
    EventType {
        name: "meetup",
        weight: 4,
        venue_type: VenueType::Room,
        schedule: Schedule::Weekly(4),
        start_hours: 18..=19,
        durations: &[120, 150],
        price: None,
        categories: &["Technology", "Talks"],
        tags: &["free entry", "students", "in English", "science"],
        titles: &[
            "{technology} Meetup at {venue}", "{weekday} Hack Night: {technology}", "{technology} from the Ground Up",
            "{technology} Study Group", "Lightning Talks: {technology}",
        ],
        openings: &[
            "Two talks and plenty of time between them: the local {technology} people meet at {venue} again.",
            "Bring a laptop and a problem that has to do with {technology}; leave with one of them solved.",
            "{person} shows what went wrong with {technology} in a real project, and how it was put right.",
        ],
        details: &[
            "Newcomers are met at the door by somebody who was new themselves last month.",
            "The talks are recorded for those who can’t come, and put online under a free licence.",
            "Pizza is sponsored by a company that would like to hire you, and says so only once.",
            "Anybody may give a five-minute talk; put your name on the board when you come in.",
        ],
    },
    EventType {
        name: "market",
        weight: 9,
        venue_type: VenueType::Outdoors,
        schedule: Schedule::AllDay(1..=1),
        start_hours: 0..=0,
        durations: &[],
        price: None,
        categories: &["Markets", "Community", "Food & Drink"],
        tags: &["free entry", "outdoors", "rain or shine", "dogs welcome", "family friendly"],
        titles: &[
            "{weekday} {market} Market", "{market} Market at {venue}", "{landmark} {market} Market",
            "{town} {market} Market", "Car Boot Sale at {venue}", "Harbour Market Day",
        ],
        openings: &[
            "Some sixty stalls line {venue} from early morning until nothing is left to sell.",
            "Everything on the tables was grown, caught, baked or mended within an hour of {town}.",
            "The {weekday} market is where the town meets, and where its news is older than its bread.",
        ],
        details: &[
            "The coffee cart is the one with the queue; the queue is worth it.",
            "Bring bags and jars, and small money for the stalls that trust no machine.",
            "Children under twelve may put up a blanket and sell their toys without paying for the place.",
            "Musicians play on the steps all day, and the hat goes round.",
            "In bad weather the stalls move under the arches, where there is room for all of them.",
        ],
    },
    EventType {
        name: "club",
        weight: 4,
        venue_type: VenueType::Room,
        schedule: Schedule::Weekly(20),
        start_hours: 18..=20,
        durations: &[90, 120, 180],
        price: None,
        categories: &["Clubs", "Community"],
        tags: &["weekly", "free entry", "books", "seniors", "for beginners"],
        titles: &[
            "{weekday} {pastime} Club", "{landmark} {pastime} Club", "{language} Conversation Table",
            "{pastime} Evening at {venue}", "{weekday} {language} Circle",
        ],
        openings: &[
            "Regulars and first-timers meet at {venue} every {weekday}, and nobody sits alone for long.",
            "The {weekday} circle has room for a few more; {person} makes the introductions and the tea.",
            "Come once to look, twice to learn, and by the third time somebody will have given you a task.",
        ],
        details: &[
            "Everything one needs is there; those who have their own may of course bring it.",
            "Beginners start at the small table by the window, where there is no hurry.",
            "Twice a year the club travels to friends along the coast, and is travelled to in turn.",
            "Membership is free, and the biscuits are paid for by whoever lost last week.",
            "The minutes of the first meeting, of 1911, hang framed by the door.",
        ],
    },
    EventType {
        name: "sailing",
        weight: 4,
        venue_type: VenueType::Outdoors,
        schedule: Schedule::AllDay(1..=3),
        start_hours: 0..=0,
        durations: &[],
        price: Some((15, 60)),
        categories: &["Sailing", "Sport & Sea"],
        tags: &["waterfront", "outdoors", "rain or shine", "family friendly"],
        titles: &[
            "{landmark} Regatta", "Open Boats at {venue}", "Classic Yacht Days", "{person} Memorial Race",
            "Try Sailing in {town}", "Tall Ships in the Harbour",
        ],
        openings: &[
            "Forty boats from five counties race for a cup that has not left {town} in nine years.",
            "Skippers take guests out into the bay on anything that floats, weather allowing.",
            "The old wooden boats come out of their sheds, and {venue} smells of tar and varnish for once.",
        ],
        details: &[
            "The best view is from the mole, where the race is explained over loudspeakers.",
            "Life jackets are provided in all sizes, from very small dog upwards.",
            "The skippers’ briefing is at nine, and the first start two hours before high water.",
            "Prizes are given in the boathouse, and soup to everybody.",
        ],
    },
    EventType {
        name: "sport",
        weight: 3,
        venue_type: VenueType::Outdoors,
        schedule: Schedule::Weekly(16),
        start_hours: 7..=10,
        durations: &[45, 60, 90],
        price: None,
        categories: &["Sport & Sea"],
        tags: &["outdoors", "wellbeing", "weekly", "rain or shine", "waterfront", "free entry"],
        titles: &[
            "{weekday} Harbour Run", "Sea Swimming at {venue}", "{weekday} Yoga by the Water", "{weekday} Ride Out with {person}",
            "Sunrise Rowing with {person}", "Walking Football at {venue}",
        ],
        openings: &[
            "Start the {weekday} out of doors: the group meets at {venue} and sets off whatever the sky looks like.",
            "There are three groups, from very gentle to rather keen, and {person} finds the right one for you.",
            "An hour of moving in good company, and the best coffee in {town} afterwards.",
        ],
        details: &[
            "Nobody is timed, nobody is left behind, and nobody needs to sign up.",
            "Bags can be left with the volunteers at the start, who guard them like dragons.",
            "The route is marked and has no steps; prams and wheelchairs come along often.",
            "In winter bring a lamp, and in summer something against the sun.",
        ],
    },
    EventType {
        name: "food",
        weight: 10,
        venue_type: VenueType::Restaurant,
        schedule: Schedule::Once,
        start_hours: 17..=20,
        durations: &[90, 120, 150, 180],
        price: Some((18, 55)),
        categories: &["Food & Drink"],
        tags: &["drinks served", "vegetarian", "booking required", "sustainability"],
        titles: &[
            "{food}: A Tasting with {person}", "{food} at {venue}", "Pop-Up Kitchen: {person}", "{food} Supper Club",
            "Meet the Makers: {food}",
        ],
        openings: &[
            "Six small plates, six glasses and the people who made what is on them: an evening about {food}.",
            "{person} cooks one menu for one long table at {venue}, and tells where everything came from.",
            "How do you tell the good from the very good? {person} has brought {food} from near and far.",
        ],
        details: &[
            "A vegetarian menu and drinks without alcohol are there for everyone who says so on booking.",
            "The producers bring some of everything to sell, at the prices of the farm gate.",
            "Seats are drawn by lot, and you will know your neighbours by the second course.",
            "The kitchen is open, and questions are welcome until the sauce goes in.",
        ],
    },
    EventType {
        name: "family",
        weight: 4,
        venue_type: VenueType::Room,
        schedule: Schedule::Weekly(6),
        start_hours: 10..=15,
        durations: &[45, 60, 90],
        price: Some((4, 9)),
        categories: &["Family"],
        tags: &["family friendly", "relaxed performance", "books", "crafts", "matinée"],
        titles: &[
            "Puppet Theatre: “{theme}”", "Story Time with {person}", "{weekday} Toy Library", "Little Scientists: {topic}",
            "Songs for Small Ears with {act}", "Treasure Hunt at {venue}",
        ],
        openings: &[
            "For children from three upwards and anyone who still likes a good story: {person} visits {venue}.",
            "A crab wants to see the mountains, and needs the whole audience to get there.",
            "Sing, build, listen and ask: a morning at {venue} that is made for small people.",
        ],
        details: &[
            "It lasts as long as a young audience can sit, and wriggling is allowed.",
            "Afterwards there is paper, glue and time for everyone to make a crab of their own.",
            "Prams can stay in the hall, and a quiet corner is there for feeding and for tears.",
            "Older brothers and sisters are given something to do backstage.",
        ],
    },
    EventType {
        name: "online",
        weight: 16,
        venue_type: VenueType::Online,
        schedule: Schedule::Once,
        start_hours: 9..=19,
        durations: &[45, 60, 90],
        price: Some((5, 20)),
        categories: &["Talks", "Technology", "Learning"],
        tags: &["online", "in English", "science", "students"],
        titles: &[
            "Online: {topic} with {person}", "{technology}: Live Online Workshop", "Webinar: {technology} for Everyone",
            "Virtual Book Club: “{theme}”", "Twin Cities Talk: {topic}", "Online {language} Conversation",
        ],
        openings: &[
            "{person} speaks from home, and you listen from yours: our friends abroad open their series to {town}.",
            "Join people from four continents for an hour with {person}, and stay for the conversation in small groups.",
            "Our twin cities take turns at being host, and this time the evening there is the morning here.",
        ],
        details: &[
            "The talk itself is short; most of the time is kept for questions.",
            "Small groups are made at random, so you will meet somebody from very far away.",
            "Two moderators watch the chat, and a third one helps with microphones.",
            "Live captions are written by a person and can be followed in a window of their own.",
            "Whoever took part in the last one will find the notes of both in the same place.",
        ],
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo::{
        Size,
        words::{CATEGORIES, TAGS},
    };

    #[test]
    fn categories_and_tags_exist() {
        for event_type in EVENT_TYPES.iter().chain([&FESTIVAL]) {
            for name in event_type.categories {
                assert!(CATEGORIES.iter().any(|(known, ..)| known == name), "{name}");
            }
            for name in event_type.tags {
                assert!(TAGS.contains(name), "{name}");
            }
        }
    }

    #[test]
    fn default_size_has_all_terms_with_parents_first() {
        assert_eq!(CATEGORIES.len() as u64, Size::DEFAULT.categories);
        assert_eq!(TAGS.len() as u64, Size::DEFAULT.tags);
        for (index, (name, parent, _)) in CATEGORIES.iter().enumerate() {
            let mut before = CATEGORIES[..index].iter();
            assert!(parent.is_none_or(|parent| before.any(|(name, ..)| *name == parent)), "{name}");
        }
    }
}
