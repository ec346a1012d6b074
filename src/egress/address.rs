//! Addresses that connections may use.

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    sync::Arc,
};

use ipnet::IpNet;
use url::{Host, Url};

/// The private networks that connections may use nevertheless.
#[derive(Clone, Debug, Default)]
pub(crate) struct AllowedNetworks(Arc<[IpNet]>);

impl From<Vec<IpNet>> for AllowedNetworks {
    fn from(networks: Vec<IpNet>) -> Self {
        Self(networks.into())
    }
}

impl AllowedNetworks {
    /// Whether connections may use the address.
    pub(crate) fn allows(&self, address: IpAddr) -> bool {
        let canonical = address.to_canonical();
        is_public(address)
            || self
                .0
                .iter()
                .any(|network| network.contains(&address) || network.contains(&canonical))
    }
}

/// The address in a URL that has an IP address instead of a host name. It is not resolved.
pub(crate) fn literal_address(url: &Url) -> Option<IpAddr> {
    match url.host()? {
        Host::Ipv4(address) => Some(address.into()),
        Host::Ipv6(address) => Some(address.into()),
        Host::Domain(_) => None,
    }
}

/// Whether the address is that of a host on the internet.
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => match embedded_v4(address) {
            Some(embedded) => is_public_v4(embedded),
            None => is_public_v6(address),
        },
    }
}

/// The special ranges of RFC 6890 and its updates.
fn is_public_v4(address: Ipv4Addr) -> bool {
    let [first, second, third, _] = address.octets();
    let is_special = address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_broadcast()
        || address.is_multicast()
        || address.is_documentation()
        || first == 0
        || first >= 240
        // Shared address space (RFC 6598).
        || (first == 100 && second & 0xc0 == 64)
        // Protocol assignments, relays of 6to4, and benchmarks.
        || (first == 192 && second == 0 && third == 0)
        || (first == 192 && second == 88 && third == 99)
        || (first == 198 && second & 0xfe == 18);
    !is_special
}

/// Global unicast addresses are in 2000::/3.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let [first, second, ..] = address.segments();
    // 2001:db8::/32 and 3fff::/20.
    let is_documentation = (first == 0x2001 && second == 0xdb8) || (first == 0x3fff && second < 0x1000);
    // Teredo and ORCHID, which embed or encode other addresses.
    let is_protocol = first == 0x2001 && second < 0x200;
    first & 0xe000 == 0x2000 && !is_documentation && !is_protocol
}

/// The IPv4 address that traffic to this one reaches: mapped and compatible ones, NAT64 and 6to4.
fn embedded_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let from = |high: u16, low: u16| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
    match address.segments() {
        [0, 0, 0, 0, 0, 0 | 0xffff, high, low]
        | [0, 0, 0, 0, 0xffff, 0, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => Some(from(high, low)),
        [0x2002, high, low, ..] => Some(from(high, low)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn private_addresses() {
        for private in [
            "127.0.0.1",
            "127.255.255.254",
            "10.1.2.3",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "192.0.0.8",
            "192.88.99.1",
            "198.18.0.1",
            "0.0.0.0",
            "240.0.0.1",
            "255.255.255.255",
            "224.0.0.1",
            "::1",
            "::",
            "::127.0.0.1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::ffff:a9fe:a9fe",
            "::ffff:0:127.0.0.1",
            "64:ff9b::a9fe:a9fe",
            "64:ff9b:1::1",
            "2001::1",
            "2002:7f00:1::",
            "fe80::1",
            "fec0::1",
            "fd00::1",
            "ff02::1",
            "2001:db8::1",
            "3fff::1",
        ] {
            assert!(!is_public(address(private)), "{private}");
        }
        for public in [
            "93.184.216.34",
            "1.1.1.1",
            "172.32.0.1",
            "2606:4700::1111",
            "::ffff:1.1.1.1",
            "64:ff9b::1.1.1.1",
        ] {
            assert!(is_public(address(public)), "{public}");
        }
    }

    #[test]
    fn allowed_networks() {
        let allowed = AllowedNetworks::from(vec!["10.0.0.0/8".parse().expect("a network")]);
        assert!(allowed.allows(address("10.1.2.3")));
        assert!(allowed.allows(address("::ffff:10.1.2.3")));
        assert!(allowed.allows(address("1.1.1.1")));
        assert!(!allowed.allows(address("192.168.1.1")));
        assert!(!AllowedNetworks::default().allows(address("10.1.2.3")));
    }
}
