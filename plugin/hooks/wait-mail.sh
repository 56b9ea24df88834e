#!/bin/sh
# Waits beside an idle session and wakes it when mail comes: exit code 2, with the mail on standard error.
# Only with INBOX_WAKE=1: mail then starts turns, and a client without asyncRewake would block here.
# A client run by a program (claude -p) ends only after its hooks: there it waits only with INBOX_WAKE=always.
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

# The shell that runs a hook outlives the client. When that shell's parent has changed, the client is gone.
above() { ps -o ppid= -p "$PPID" 2>/dev/null; }
client=$(above)

# First the current event, then existing mail, then new mail: nothing is missed in between.
event='' seconds=1 rounds=0
while [ "$rounds" -lt 120 ]; do
  seen=$(inbox watch --agent "$agent" ${event:+--after-event "$event"} --timeout-seconds "$seconds" --json 2>/dev/null)
  case $? in 0 | 10) ;; *) exit 0 ;; esac
  event=$(printf '%s\n' "$seen" | sed -n 's/.*"next_event_id":\([0-9]*\).*/\1/p')
  seconds=30 rounds=$((rounds + 1))
  [ "$(above)" = "$client" ] || exit 0
  # Only the waiter that started last goes on: it belongs to the newest turn.
  [ "$(cat "$mine" 2>/dev/null)" = "$$" ] || exit 0
  text=$("$hooks/new-mail.sh" --plain)
  [ -n "$text" ] || continue
  printf '%s\n' "$text" >&2
  exit 2
done
exit 0
