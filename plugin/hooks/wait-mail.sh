#!/bin/sh
# Waits beside an idle session and wakes it when mail comes: exit code 2, with the mail on standard error.
# Only with INBOX_WAKE=1: mail then begins turns by itself, and a client that knows no asyncRewake would wait here.
# A client run by a program (claude -p) ends only when its hooks have: there it waits with INBOX_WAKE=always alone.
set -u
case ${INBOX_WAKE-},${CLAUDE_CODE_ENTRYPOINT-} in always,*) ;; 1,sdk-*) exit 0 ;; 1,*) ;; *) exit 0 ;; esac
command -v inbox >/dev/null 2>&1 || exit 0
cd "${CLAUDE_PROJECT_DIR:-.}" 2>/dev/null || exit 0
hooks=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd) || exit 0
agent=${INBOX_AGENT:-main}

folder=${CLAUDE_PLUGIN_DATA:-${XDG_STATE_HOME:-${HOME:-/nonexistent}/.local/state}/restante}
mkdir -p "$folder" 2>/dev/null || exit 0
mine=$folder/waiting-$(printf '%s\n' "$PWD" "${INBOX_DB-}" "${INBOX_AGENT-}" | cksum | tr ' ' -)
printf '%s\n' "$$" 2>/dev/null >"$mine" || exit 0

# A hook is run by a shell that outlives the client: its parent is gone when the client is, and then nobody reads us.
above() { ps -o ppid= -p "$PPID" 2>/dev/null; }
client=$(above)

# First where we are, then what is there, then what comes: nothing falls in between.
event='' seconds=1 rounds=0
while [ "$rounds" -lt 120 ]; do
  seen=$(inbox watch --agent "$agent" ${event:+--after-event "$event"} --timeout-seconds "$seconds" --json 2>/dev/null)
  case $? in 0 | 10) ;; *) exit 0 ;; esac
  event=$(printf '%s\n' "$seen" | sed -n 's/.*"next_event_id":\([0-9]*\).*/\1/p')
  seconds=30 rounds=$((rounds + 1))
  [ "$(above)" = "$client" ] || exit 0
  # One waits, the one that began last: it belongs to the newest turn.
  [ "$(cat "$mine" 2>/dev/null)" = "$$" ] || exit 0
  text=$("$hooks/new-mail.sh" --plain)
  [ -n "$text" ] || continue
  printf '%s\n' "$text" >&2
  exit 2
done
exit 0
