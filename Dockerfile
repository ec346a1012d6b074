# syntax=docker/dockerfile:1

# docker build --tag almanac .
# docker run --publish 8080:8080 --volume almanac:/var/lib/almanac almanac

FROM rust:1.95-slim-trixie AS build
WORKDIR /source
COPY . .
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/source/target \
    cargo build --release --locked --bin almanac \
    && install -D target/release/almanac /output/almanac

# The program brings its own SQLite, time zones and certificate authorities: it needs only the C library.
FROM debian:trixie-slim
RUN useradd --system --uid 10001 --user-group --create-home --home-dir /var/lib/almanac \
    --shell /usr/sbin/nologin almanac
COPY --from=build /output/almanac /usr/local/bin/almanac
# The path of a file, not a password:
# hadolint ignore=DL3064
ENV ALMANAC_LISTEN=0.0.0.0:8080 \
    ALMANAC_DATABASE_URL=sqlite:///var/lib/almanac/almanac.db \
    ALMANAC_ADMIN_PASSWORD_FILE=/var/lib/almanac/admin-password
# By number, so that an orchestrator can tell that it is not root.
USER 10001:10001
WORKDIR /var/lib/almanac
VOLUME /var/lib/almanac
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["almanac", "healthcheck"]
ENTRYPOINT ["almanac"]
CMD ["serve"]
