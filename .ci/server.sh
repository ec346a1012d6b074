# Functions that start and stop a server, for scripts that test it from outside. To be sourced. The program is the
# release binary, or `ALMANAC_PROGRAM`.

almanac=${ALMANAC_PROGRAM:-$PWD/target/release/almanac}
server=

# start ARGUMENTS...: starts a server. Sets `address`, `password` (of the administrator) and `folder` (of the database).
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

# stop: stops the server. Fails unless its exit status is 0.
stop() {
  kill "$server"
  wait "$server"
  server=
  rm -rf "$folder"
}
