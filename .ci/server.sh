# A server of the release binary (or of `ALMANAC_PROGRAM`), for what is tried from outside. To be sourced.

almanac=${ALMANAC_PROGRAM:-$PWD/target/release/almanac}
server=

# start ARGUMENTS...: sets `address`, `password` (the administrator's) and `folder`, in which the database is.
start() {
  folder=$(mktemp -d)
  (cd "$folder" && exec "$almanac" serve --listen 127.0.0.1:0 "$@" >printed 2>log) &
  server=$!
  for _ in $(seq 100); do
    if grep -q '^listening on ' "$folder/printed" 2>/dev/null; then break; fi
    sleep 0.1
  done
  address=$(sed -n 's/^listening on //p' "$folder/printed")
  password=$(sed -n 's/.*application password: //p' "$folder/printed")
  if [ -z "$address" ]; then
    cat "$folder/printed" "$folder/log"
    return 1
  fi
}

# stop: ends it, and fails where it does not end well.
stop() {
  kill "$server"
  wait "$server"
  server=
  rm -rf "$folder"
}
