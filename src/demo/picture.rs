//! The pictures of the demo calendar: abstract landscapes and patterns, as SVG. Each is determined by its folder and
//! number.

use super::{
    event_type_table::{EVENT_TYPES, FESTIVAL},
    random::Random,
};

/// The size in pixels.
pub(crate) const WIDTH: i64 = 800;
pub(crate) const HEIGHT: i64 = 500;

/// The number of pictures of each folder.
pub(crate) const PICTURES_PER_FOLDER: i64 = 12;

/// The folders of venue and organizer images. Each event type has its own.
pub(super) const VENUE_FOLDER: &str = "place";
pub(super) const ORGANIZER_FOLDER: &str = "people";

/// Warm colours: the sky or paper, three shades from back to front, and a light.
const PALETTES: [[&str; 5]; 6] = [
    ["#f6e3c5", "#e0a872", "#b8623f", "#6e2f2a", "#fff6e3"],
    ["#dfe6dd", "#9db5a0", "#5f8576", "#2f4a4a", "#fbf3d9"],
    ["#f3d9d0", "#d99a8c", "#a4546a", "#4d2c4f", "#ffeccc"],
    ["#d9e4ec", "#94b3c7", "#55789a", "#2b405f", "#fdf1d6"],
    ["#f2e7b9", "#d9b44a", "#a9772c", "#5b4423", "#fffbe8"],
    ["#e9dff0", "#b49bc8", "#7b5c96", "#3d2c58", "#fff0dc"],
];

/// All folders.
pub(super) fn folders() -> impl Iterator<Item = &'static str> {
    let event_types = EVENT_TYPES.iter().chain([&FESTIVAL]).map(|event_type| event_type.name);
    event_types.chain([VENUE_FOLDER, ORGANIZER_FOLDER])
}

/// The path of a picture below the base URL.
pub(super) fn path(folder: &str, number: i64) -> String {
    format!("/demo/{folder}/{number:02}.svg")
}

/// The picture at a path below `/demo`. None if there is none.
pub(crate) fn svg(folder: &str, file: &str) -> Option<String> {
    let position = folders().position(|known| known == folder)?;
    let number = (1..=PICTURES_PER_FOLDER).find(|number| file == format!("{number:02}.svg"))?;
    // The sequence of a picture is a part of the same long sequence, so that pictures of one folder differ.
    let mut random = Random::new();
    for _ in 0..(position as i64) * PICTURES_PER_FOLDER + number {
        random.between(0..=i64::MAX - 1);
    }
    let palette = &PALETTES[(position + number as usize) % PALETTES.len()];
    let motif = match folder {
        VENUE_FOLDER => houses,
        ORGANIZER_FOLDER => people,
        _ => [waves, hills, bars, bunting, circles][position % 5],
    };
    let mut shapes = String::new();
    motif(&mut random, palette, &mut shapes);
    let paper = palette[0];
    Some(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" \
         height=\"{HEIGHT}\"><rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"{paper}\"/>{shapes}</svg>\n"
    ))
}

type Palette = [&'static str; 5];

fn circle(x: i64, y: i64, radius: i64, fill: &str) -> String {
    format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"{fill}\"/>")
}

fn rectangle(x: i64, y: i64, width: i64, height: i64, fill: &str) -> String {
    format!("<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{fill}\"/>")
}

/// A sun or moon at a random place above.
fn light(random: &mut Random, palette: &Palette, shapes: &mut String) {
    let (x, y) = (random.between(120..=680), random.between(90..=200));
    *shapes += &circle(x, y, random.between(45..=80), palette[4]);
}

/// The sea under a light: three rows of waves.
fn waves(random: &mut Random, palette: &Palette, shapes: &mut String) {
    light(random, palette, shapes);
    for (row, color) in (0..).zip(&palette[1..4]) {
        let y = 230 + row * 90;
        let height = random.between(14..=34);
        let shift = random.between(-100..=0);
        *shapes += &format!("<path fill=\"{color}\" d=\"M{shift} {y}");
        for _ in 0..10 {
            *shapes += &format!("q50 {} 100 0t100 0", -2 * height);
        }
        *shapes += "V500H-200z\"/>";
    }
}

/// Hills, one behind the other.
fn hills(random: &mut Random, palette: &Palette, shapes: &mut String) {
    light(random, palette, shapes);
    for (row, color) in (0..).zip(&palette[1..4]) {
        let base = 250 + row * 80;
        let [one, two, three] = [0; 3].map(|_| base + random.between(-70..=50));
        *shapes += &format!(
            "<path fill=\"{color}\" d=\"M0 {one}C200 {} 300 {} 450 {two}S700 {} 800 {three}V500H0z\"/>",
            one - 90,
            two + 60,
            three - 80,
        );
    }
}

/// Columns, as of sound.
fn bars(random: &mut Random, palette: &Palette, shapes: &mut String) {
    for column in 0..16 {
        let height = random.between(60..=400);
        let color = palette[1 + random.between(0..=2) as usize];
        *shapes += &rectangle(10 + column * 49, 250 - height / 2, 34, height, color);
    }
    let (x, y) = (random.between(150..=650), random.between(150..=350));
    *shapes += &circle(x, y, 70, palette[4]);
}

/// Rows of pennants.
fn bunting(random: &mut Random, palette: &Palette, shapes: &mut String) {
    for row in 0..3 {
        let y = 60 + row * 140 + random.between(-20..=20);
        let sag = random.between(20..=60);
        let line = palette[3];
        *shapes += &format!(
            "<path d=\"M0 {y}Q400 {} 800 {y}\" stroke=\"{line}\" stroke-width=\"4\" fill=\"none\"/>",
            y + sag
        );
        for pennant in 0..10 {
            let x = 10 + pennant * 80;
            let hanging = y + sag * (x + 30) * (800 - x - 30) / 320_000;
            let color = palette[1 + random.between(0..=2) as usize];
            *shapes += &format!("<path fill=\"{color}\" d=\"M{x} {hanging}h60l-30 84z\"/>");
        }
    }
}

/// Overlapping circles.
fn circles(random: &mut Random, palette: &Palette, shapes: &mut String) {
    *shapes += "<g fill-opacity=\"0.85\">";
    for _ in 0..14 {
        let (x, y) = (random.between(0..=WIDTH), random.between(0..=HEIGHT));
        let color = palette[1 + random.between(0..=3) as usize];
        *shapes += &circle(x, y, random.between(25..=130), color);
    }
    *shapes += "</g>";
}

/// A row of houses with lit windows.
fn houses(random: &mut Random, palette: &Palette, shapes: &mut String) {
    light(random, palette, shapes);
    for house in 0..6 {
        let (x, height) = (house * 134, random.between(150..=320));
        let (y, color) = (HEIGHT - height, palette[1 + random.between(0..=2) as usize]);
        *shapes += &rectangle(x, y, 134, height, color);
        let roof = palette[3];
        *shapes += &format!("<path fill=\"{roof}\" d=\"M{} {y}l77 -70l77 70z\"/>", x - 10);
        for window in 0..height / 80 {
            for column in [24, 78] {
                if random.per_mille(700) {
                    *shapes += &rectangle(x + column, y + 24 + window * 76, 32, 42, palette[4]);
                }
            }
        }
    }
}

/// A group of people.
fn people(random: &mut Random, palette: &Palette, shapes: &mut String) {
    for (row, (y, size)) in [(250, 46), (330, 62)].into_iter().enumerate() {
        for place in 0..5 {
            let x = 60 + place * 170 + row as i64 * 80 + random.between(-20..=20);
            let color = palette[1 + random.between(0..=2) as usize];
            *shapes += &circle(x, y, size, palette[4]);
            let (width, height) = (size * 3 / 2, 420 - y);
            *shapes += &format!("<ellipse cx=\"{x}\" cy=\"500\" rx=\"{width}\" ry=\"{height}\" fill=\"{color}\"/>");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn pictures_are_different_and_stable() {
        let mut seen = HashSet::new();
        for folder in folders() {
            for number in 1..=PICTURES_PER_FOLDER {
                let file = format!("{number:02}.svg");
                let picture = svg(folder, &file).expect("a picture");
                assert_eq!(svg(folder, &file).as_deref(), Some(picture.as_str()));
                assert!(picture.len() < 8 * 1024, "{folder}/{file}: {} bytes", picture.len());
                assert!(seen.insert(picture), "{folder}/{file}");
            }
        }
        for (folder, file) in [
            ("jazz", "00.svg"),
            ("jazz", "13.svg"),
            ("jazz", "1.svg"),
            ("nothing", "01.svg"),
        ] {
            assert_eq!(svg(folder, file), None);
        }
    }
}
