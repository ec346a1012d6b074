//! The words from which names are generated.
//!
//! No entry ends in a digit: the slug of such a name could equal that of another name with a numeric suffix.

use super::event_type::VenueType;

pub(super) const FIRST_NAMES: &[&str] = &[
    "Aoife", "Niamh", "Ciara", "Saoirse", "Gráinne", "Orla", "Siobhán", "Maeve", "Róisín", "Caoimhe",
    "Conor", "Declan", "Eoin", "Pádraig", "Seán", "Fergus", "Cormac", "Oisín", "Tadhg", "Liam",
    "Anna", "Beatriz", "Camille", "Dagmar", "Elif", "Freya", "Gabriela", "Hana", "Ingrid", "Jelena",
    "Kasia", "Leïla", "Marta", "Noor", "Olena", "Priya", "Renée", "Søren", "Tomás", "Uma",
    "Viktor", "Wanjiru", "Xavier", "Yuki", "Zoltán", "Amara", "Björn", "Chidi", "Diego", "Emeka",
    "Farid", "Giulia", "Henrik", "Ibrahim", "João", "Kenji", "Lukas", "Mateo", "Nikolai", "Ravi",
];

pub(super) const LAST_NAMES: &[&str] = &[
    "Murphy", "Walsh", "O’Brien", "Byrne", "Ryan", "O’Sullivan", "McCarthy", "Doyle", "Gallagher", "Kennedy",
    "Lynch", "Quinn", "Moore", "Nolan", "Daly", "Cullen", "Keane", "Burke", "Fitzgerald", "Brennan",
    "Andersen", "Bąk", "Castellano", "Dvořáková", "Eriksson", "Ferreira", "García", "Haddad", "Ivanova", "Jansen",
    "Kowalska", "Lindqvist", "Müller", "Nakamura", "Okafor", "Petrović", "Quiroga", "Rossi", "Schäfer", "Takahashi",
    "Uchida", "van Dijk", "Weiß", "Yıldız", "Zieliński", "Achterberg", "Banerjee", "Çelik", "Dubois", "Eze",
    "Fontaine", "Guðmundsdóttir", "Horváth", "Iyer", "Johansen", "Kaur", "Laurent", "Mensah", "Novák", "Ortega",
    "Patel", "Rahman", "Silva", "Tanaka", "Ulrich", "Vasquez", "Wójcik", "Xiang", "Yamamoto", "Zhou",
];

pub(super) const LANDMARKS: &[&str] = &[
    "Harbour", "Lighthouse", "Customs House", "Ropewalk", "Saint Brendan’s", "Old Mill", "Merchants’ Quay",
    "Shipyard", "Granary", "Foundry", "Cathedral", "Waterworks", "Tannery", "Castle", "Riverside", "Tidewater",
    "Boathouse", "Coastguard", "Sailmakers’", "Oyster", "Northgate", "Southbank", "Chandlery", "Saltworks",
    "Signal Hill", "Fishmarket", "Drydock", "Mariners’", "Bell Tower", "Station", "Orchard", "Exchange",
    "Weavers’", "Cooperage", "Observatory", "Bridgefoot", "Cornmarket", "Elmwood", "Franciscan", "Gasworks",
];

pub(super) const STREETS: &[&str] = &[
    "Quay Street", "Lighthouse Road", "Anchor Lane", "Ropemakers’ Row", "Captain’s Walk", "Bridge Street",
    "Cathedral Close", "Mill Lane", "Herring Street", "Custom House Quay", "Dock Road", "Abbey Street",
    "Saint Brendan’s Terrace", "Gull Lane", "Upper Strand Road", "Lower Strand Road", "Pilot’s Steps",
    "Marine Parade", "Chapel Hill", "Cooper’s Yard", "Foundry Street", "Granary Wharf", "Salt Street",
    "Parliament Street", "Wellington Place", "Orchard Avenue", "Signal Hill Road", "Tannery Lane", "Kelp Street",
    "Grand Parade", "Compass Court", "North Mole", "South Mole", "Sailmaker’s Alley", "Cornmarket",
    "Friary Street", "Barrack Street", "Weir View", "Estuary Drive", "Cliff Road",
];

/// The last words of venue names, by type.
pub(super) const VENUE_NAMES: &[(VenueType, &[&str])] = &[
    (VenueType::Stage, &["Theatre", "Concert Hall", "Playhouse", "Music Room", "Ballroom", "Arts Centre", "Cellar", "Picture House"]),
    (VenueType::Room, &["Library", "Community Centre", "School", "Parish Hall", "Meeting Rooms", "Institute", "Bookshop", "Makerspace"]),
    (VenueType::Outdoors, &["Park", "Square", "Pier", "Gardens", "Beach", "Marina", "Sports Ground", "Green"]),
    (VenueType::Gallery, &["Gallery", "Museum", "Studios", "Print Works", "Glasshouse", "Pottery", "Art Space", "Workshops"]),
    (VenueType::Restaurant, &["Arms", "Tavern", "Café", "Kitchen", "Brewery", "Wine Bar", "Tea Rooms", "Canteen"]),
];

/// Sentences about outdoor venues.
pub(super) const OUTDOOR_SENTENCES: &[&str] = &[
    "Laid out by the harbour board and looked after by its neighbours ever since.",
    "There are benches, a kiosk and, since last summer, a tap with drinking water.",
    "The paths are level and lit, and the gates stay open until an hour before midnight.",
    "The number 5 bus stops at the gate, and the ferry landing is ten minutes away.",
    "It can be hired by the day or the season; the parks office knows more.",
];

/// The last words of organizer names.
pub(super) const ORGANIZER_NAMES: &[&str] = &[
    "Collective", "Society", "Arts Trust", "Foundation", "Association", "Co-operative", "Guild", "Network",
    "Initiative", "Friends",
];

/// Sentences about indoor venues.
pub(super) const INDOOR_SENTENCES: &[&str] = &[
    "Built by the harbour board and looked after by its neighbours ever since.",
    "There is room for two hundred people, and a step-free way in from the yard.",
    "It stood empty for eleven years before volunteers put a roof on it again.",
    "The café opens an hour before each event and closes when the last guest leaves.",
    "The number 5 bus stops at the door, and the ferry landing is ten minutes away.",
    "It can be hired by the hour, the day or the season; the office knows more.",
];

/// Sentences about organizers.
pub(super) const ORGANIZER_SENTENCES: &[&str] = &[
    "We bring people together who would not have met otherwise.",
    "Founded around a kitchen table, and still run by volunteers for the most part.",
    "Our events are open to everybody, and most of them cost nothing.",
    "New members and new ideas are welcome at any time of the year.",
    "We are grateful to the city and to more than three hundred friends for their support.",
];

pub(super) const ADJECTIVES: &[&str] = &[
    "Amber", "Blue", "Borrowed", "Bright", "Broken", "Copper", "Crooked", "Distant", "Drifting", "Early",
    "Electric", "Faraway", "Floating", "Forgotten", "Gentle", "Gilded", "Golden", "Hidden", "Hollow", "Invisible",
    "Iron", "Late", "Little", "Lost", "Luminous", "Midnight", "Northern", "Open", "Paper", "Patient",
    "Quiet", "Restless", "Rising", "Roaring", "Salted", "Scarlet", "Secret", "Silver", "Singing", "Slow",
    "Southern", "Stolen", "Tender", "Turning", "Unfinished", "Velvet", "Wandering", "Western", "Wild", "Winter",
];

pub(super) const NOUNS: &[&str] = &[
    "Anchors", "Arches", "Atlases", "Ballads", "Beacons", "Bells", "Birds", "Boats", "Bridges", "Buoys",
    "Canaries", "Charts", "Clocks", "Coasts", "Comets", "Compasses", "Cormorants", "Currents", "Departures", "Doors",
    "Echoes", "Embers", "Ferries", "Fields", "Foxes", "Gardens", "Ghosts", "Gulls", "Herons", "Horizons",
    "Islands", "Kites", "Lanterns", "Letters", "Lighthouses", "Machines", "Maps", "Mirrors", "Moons", "Neighbours",
    "Oceans", "Orchards", "Owls", "Pilots", "Postcards", "Promises", "Rivers", "Rooms", "Rooftops", "Sails",
    "Shadows", "Shores", "Signals", "Sirens", "Stories", "Swifts", "Tides", "Trains", "Voices", "Windows",
];

pub(super) const ENSEMBLES: &[&str] = &["Quartet", "Trio", "Quintet", "Band", "Collective", "Duo", "Orchestra", "Project"];

pub(super) const COMPOSERS: &[&str] = &[
    "Bach", "Bartók", "Beethoven", "Boulanger", "Brahms", "Chopin", "Debussy", "Dvořák", "Fauré", "Grieg",
    "Handel", "Haydn", "Hensel", "Janáček", "Mozart", "Pärt", "Purcell", "Ravel", "Schubert", "Sibelius",
    "Smyth", "Takemitsu", "Vivaldi", "Clara Schumann",
];

pub(super) const TOPICS: &[&str] = &[
    "Tidal Power", "Seabird Migration", "Medieval Port Towns", "Urban Beekeeping", "The Cables Under the Sea",
    "Shipwrecks of the South Coast", "The Physics of Waves", "Cities Without Cars", "The Language of Maps",
    "Lighthouses and Their Keepers", "Emigration and Letters Home", "Kelp Forests", "Whales in Our Waters",
    "Old Trees in Young Streets", "The Night Sky in Winter", "Reading the Weather", "The Smell of Old Books",
    "Housing for All Ages", "Coastal Erosion", "Poetry in Translation", "The Herring Trade", "Sleep and Memory",
    "Soil, Seeds and Patience", "Women at Sea", "Bridges That Failed", "Music and Mathematics",
    "Photography and Truth", "Food Without Waste", "The Viking Harbour", "Neighbours and Noise",
    "What Rivers Remember", "Learning to Argue Well", "The Economics of Fishing", "Bats in the Belfry",
    "Radio on Small Islands", "Repair as a Way of Life",
];

pub(super) const CRAFTS: &[&str] = &[
    "Letterpress Printing", "Sourdough Baking", "Willow Weaving", "Bookbinding", "Watercolour", "Bicycle Repair",
    "Life Drawing", "Wheel Throwing", "Screen Printing", "Knot Tying", "Seaweed Foraging", "Creative Writing",
    "Stone Carving", "Natural Dyeing", "Candle Making", "Boat Building", "Improvised Theatre", "Linocut",
    "Calligraphy", "Home Fermentation", "Garden Planning", "Portrait Photography", "Mending and Darning", "Songwriting",
];

pub(super) const FOODS: &[&str] = &[
    "Oysters and Stout", "Natural Wine", "Farmhouse Cheese", "Craft Cider", "Single-Origin Coffee", "Smoked Fish",
    "Seaweed and Shellfish", "Sourdough and Butter", "Chocolate", "Irish Whiskey", "Tapas", "Dumplings",
    "Street Food", "Wild Mushrooms", "Sherry", "Honey", "Vegan Desserts", "Crêpes",
];

pub(super) const TECHNOLOGIES: &[&str] = &[
    "Rust", "PostgreSQL", "Open Data", "Web Accessibility", "Embedded Linux", "Kubernetes", "OpenStreetMap",
    "Home Automation", "Machine Learning", "Typography on the Web", "Observability", "API Design", "Game Development",
    "Privacy Engineering", "Functional Programming", "Low-Power Radio",
];

pub(super) const PASTIMES: &[&str] = &[
    "Chess", "Knitting", "Board Game", "Book", "Go", "Scrabble", "Birdwatching", "Philosophy", "Ukulele",
    "Conversation", "Astronomy", "Bridge", "Model Ship", "Poetry", "Gardening", "Choir",
];

pub(super) const LANGUAGES: &[&str] = &[
    "Irish", "Spanish", "French", "Polish", "Portuguese", "German", "Japanese", "Ukrainian", "Arabic", "Italian",
];

pub(super) const MARKETS: &[&str] = &[
    "Farmers’", "Flea", "Fish", "Craft", "Book", "Plant", "Vintage", "Record", "Bread", "Antiques",
];

/// The first words of subcategories, which only larger calendars have.
pub(super) const STYLES: &[&str] = &[
    "Acoustic", "Afternoon", "Amateur", "Avant-Garde", "Bilingual", "Classic", "Contemporary",
    "Early", "Experimental", "Historic", "Improvised", "International", "Late-Night", "Maritime", "Modern", "Neighbourhood",
    "Nordic", "Open-Air", "Student", "Traditional", "Travelling", "Urban", "Vintage", "Youth",
];

/// The name, the parent and the description of each base category. Parents come first.
pub(super) const CATEGORIES: &[(&str, Option<&str>, &str)] = &[
    ("Music", None, "Concerts, sessions and club nights."),
    ("Stage & Screen", None, "Theatre, comedy, dance and film."),
    ("Art", None, "Exhibitions, openings and studio visits."),
    ("Learning", None, "Talks, courses and meetings of the curious."),
    ("Community", None, "What neighbours do together."),
    ("Sport & Sea", None, "On foot, on wheels and on the water."),
    ("Food & Drink", None, "Tastings, dinners and kitchens."),
    ("Family", None, "For children and the people who bring them."),
    ("Festivals", None, "Several days at a time."),
    ("Jazz", Some("Music"), "From swing to free improvisation."),
    ("Classical", Some("Music"), "Chamber music, choirs and orchestras."),
    ("Folk", Some("Music"), "Sessions, songs and céilís."),
    ("Electronic", Some("Music"), "Synthesisers, turntables and late nights."),
    ("Theatre", Some("Stage & Screen"), "Plays, readings and first nights."),
    ("Comedy", Some("Stage & Screen"), "Stand-up and improvisation."),
    ("Dance", Some("Stage & Screen"), "To watch and to join in."),
    ("Film", Some("Stage & Screen"), "Screenings, with and without guests."),
    ("Exhibitions", Some("Art"), "On show for some weeks."),
    ("Talks", Some("Learning"), "Lectures, readings and debates."),
    ("Workshops", Some("Learning"), "Learning by doing."),
    ("Technology", Some("Talks"), "By and for people who build things."),
    ("Markets", Some("Community"), "Stalls under the open sky."),
    ("Clubs", Some("Community"), "Regular meetings that anyone may join."),
    ("Sailing", Some("Sport & Sea"), "Regattas, courses and open boats."),
];

/// Ordered by popularity.
pub(super) const TAGS: &[&str] = &[
    "free entry", "wheelchair accessible", "live music", "outdoors", "family friendly", "for beginners",
    "online", "waterfront", "late night", "booking required", "in English", "drinks served", "local artists",
    "rain or shine", "weekly", "new work", "students", "hands-on", "history", "science", "environment",
    "dogs welcome", "sign language", "LGBTQ+", "vegetarian", "sustainability", "volunteers wanted", "debut",
    "seniors", "matinée", "open mic", "crafts", "books", "wellbeing", "Irish language", "photography",
    "choir", "heritage week", "pay what you can", "relaxed performance",
];
