//! The name and the look of the public pages.

use std::fmt;

use clap::Args;

use super::values::web_url;

/// The backgrounds behind links on pages, in light and in dark mode: `--surface` in almanac.css.
const LIGHT_SURFACE: Color = Color([0xf4, 0xed, 0xe1]);
const DARK_SURFACE: Color = Color([0x27, 0x22, 0x1e]);

/// The minimum contrast of text (WCAG 2.2, 1.4.3).
const MIN_CONTRAST: f64 = 4.5;

/// The settings that brand the pages.
#[derive(Args, Clone, Debug)]
pub struct Branding {
    /// Name of the calendar, on pages and in feeds
    #[arg(
        long,
        env = "ALMANAC_SITE_NAME",
        default_value = "Almanac",
        value_name = "NAME",
        value_parser = name
    )]
    pub site_name: String,

    /// Description of the calendar, on the start page, in feeds and for search engines
    #[arg(long, env = "ALMANAC_SITE_DESCRIPTION", value_name = "TEXT")]
    pub site_description: Option<String>,

    /// Colour of links and marks on pages, such as #96391f; darkened or lightened where it would be hard to read
    #[arg(long, env = "ALMANAC_ACCENT_COLOR", value_name = "COLOR", value_parser = AccentColor::parse)]
    pub accent_color: Option<AccentColor>,

    /// URL of an image beside the name, on pages
    #[arg(long, env = "ALMANAC_LOGO", value_name = "URL", value_parser = logo)]
    pub logo: Option<String>,

    /// Contact for reports of vulnerabilities, such as security@example.org; served in /.well-known/security.txt
    #[arg(long, env = "ALMANAC_SECURITY_CONTACT", value_name = "CONTACT", value_parser = contact)]
    pub security_contact: Option<String>,
}

/// The accent colour, readable in both modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccentColor {
    /// On light backgrounds.
    pub light: Color,
    /// On dark backgrounds.
    pub dark: Color,
}

/// An sRGB colour: red, green and blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Color([u8; 3]);

impl AccentColor {
    /// Parses `#rrggbb`, and moves the colour towards black and white until it is readable in each mode.
    fn parse(text: &str) -> Result<Self, String> {
        let color = Color::parse(text).ok_or_else(|| "must be a colour such as #96391f".to_owned())?;
        Ok(Self {
            light: color.readable_on(LIGHT_SURFACE, Color([0; 3])),
            dark: color.readable_on(DARK_SURFACE, Color([255; 3])),
        })
    }
}

impl Color {
    fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6)?;
        if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return None;
        }
        let [_, red, green, blue] = u32::from_str_radix(digits, 16).ok()?.to_be_bytes();
        Some(Self([red, green, blue]))
    }

    /// The first mixture with `towards`, in steps of 5%, that has enough contrast to the background.
    fn readable_on(self, background: Color, towards: Color) -> Color {
        let mixtures = (0..=20).map(|step| self.mixed(towards, step));
        let mut readable = mixtures.filter(|mixture| mixture.contrast(background) >= MIN_CONTRAST);
        readable.next().unwrap_or(towards)
    }

    /// The mixture with `parts` twentieths of another colour.
    fn mixed(self, other: Color, parts: u16) -> Color {
        let mut mixture = self.0;
        for (channel, other) in mixture.iter_mut().zip(other.0) {
            let sum = u16::from(*channel) * (20 - parts) + u16::from(other) * parts;
            *channel = u8::try_from(sum / 20).unwrap_or(u8::MAX);
        }
        Color(mixture)
    }

    /// The contrast ratio (WCAG 2.2), from 1 to 21.
    fn contrast(self, other: Color) -> f64 {
        let (one, other) = (self.luminance(), other.luminance());
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    /// The relative luminance (WCAG 2.2), from 0 to 1.
    fn luminance(self) -> f64 {
        let linear = self.0.map(|channel| {
            let value = f64::from(channel) / 255.0;
            if value <= 0.04045 {
                value / 12.92
            } else {
                ((value + 0.055) / 1.055).powf(2.4)
            }
        });
        0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    }
}

impl fmt::Display for Color {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self([red, green, blue]) = self;
        write!(formatter, "#{red:02x}{green:02x}{blue:02x}")
    }
}

/// A name on one line.
fn name(text: &str) -> Result<String, String> {
    let name = text.trim();
    if name.is_empty() || name.chars().any(char::is_control) {
        return Err("must be a name on one line".to_owned());
    }
    Ok(name.to_owned())
}

/// An `http` or `https` URL, or a path of this host, which a proxy serves.
fn logo(text: &str) -> Result<String, String> {
    if text.starts_with('/') && !text.starts_with("//") {
        return Ok(text.to_owned());
    }
    web_url(text)
        .map(String::from)
        .ok_or_else(|| "must be a URL such as https://example.org/logo.svg, or a path such as /logo.svg".to_owned())
}

/// A URI (RFC 9116, section 2.5.3), or an email address, which becomes one.
fn contact(text: &str) -> Result<String, String> {
    if email_address::EmailAddress::is_valid(text) {
        return Ok(format!("mailto:{text}"));
    }
    match ["https://", "mailto:", "tel:"]
        .iter()
        .any(|scheme| text.starts_with(scheme))
        && url::Url::parse(text).is_ok()
    {
        true => Ok(text.to_owned()),
        false => Err("must be an email address, or a URL that starts with https://, mailto: or tel:".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accent_colors_are_readable() {
        for text in ["#96391f", "#000000", "#FFFFFF", "#ffd700", "#0057b8"] {
            let AccentColor { light, dark } = AccentColor::parse(text).expect(text);
            assert!(light.contrast(LIGHT_SURFACE) >= MIN_CONTRAST, "{text}: {light}");
            assert!(dark.contrast(DARK_SURFACE) >= MIN_CONTRAST, "{text}: {dark}");
        }
        let usual = AccentColor::parse("#96391f").expect("a colour");
        assert_eq!(usual.light.to_string(), "#96391f");
    }

    #[test]
    fn other_colors_are_rejected() {
        for text in ["", "red", "#96391", "96391f", "#96391g", "#+6391f", "#96391f;"] {
            assert!(AccentColor::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn contacts() {
        let parsed = |text| contact(text).ok();
        assert_eq!(parsed("a@example.org").as_deref(), Some("mailto:a@example.org"));
        assert_eq!(
            parsed("https://example.org/x").as_deref(),
            Some("https://example.org/x")
        );
        for text in ["", "example", "http://example.org", "javascript:alert(1)"] {
            assert_eq!(parsed(text), None, "{text}");
        }
    }

    #[test]
    fn logos() {
        for (text, is_valid) in [
            ("https://example.org/logo.svg", true),
            ("https://example.org/logo.svg?version=2", true),
            ("/logo.svg", true),
            ("//example.org/logo.svg", false),
            ("logo.svg", false),
        ] {
            assert_eq!(logo(text).is_ok(), is_valid, "{text}");
        }
    }
}
