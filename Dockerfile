# syntax=docker/dockerfile:1

# docs/running.md describes how to build and run the image.

FROM rust:1.95-slim-trixie AS build
# The image has a C compiler, but not make. Its version does not matter:
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends make \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY . .
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/source/target \
    cargo build --release --locked --bin almanac \
    && install -D target/release/almanac /output/almanac

# SQLite, time zones and root certificates are built into the program: it only needs the C library.
FROM debian:trixie-slim
RUN useradd --system --uid 10001 --user-group --create-home --home-dir /var/lib/almanac \
    --shell /usr/sbin/nologin almanac
COPY --from=build /output/almanac /usr/local/bin/almanac
# A path, not a password:
# hadolint ignore=DL3064
ENV ALMANAC_LISTEN=0.0.0.0:8080 \
    ALMANAC_DATABASE_URL=sqlite:///var/lib/almanac/almanac.db \
    ALMANAC_ADMIN_PASSWORD_FILE=/var/lib/almanac/admin-password
# Numeric, so that an orchestrator can verify that the user is not root.
USER 10001:10001
WORKDIR /var/lib/almanac
VOLUME /var/lib/almanac
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["almanac", "healthcheck"]
ENTRYPOINT ["almanac"]
CMD ["serve"]
