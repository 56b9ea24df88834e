#!/bin/sh
# Installs inbox and orch from a release: sh install.sh ADDRESS [FOLDER]
#
# ADDRESS (or INBOX_RELEASES) is where the release is: https://…, file://… or a folder. FOLDER (or INBOX_PREFIX) is
# where to install; default: ~/.local. Nothing is installed unless the checksum is right.
set -eu

fail() {
  echo "install.sh: $1" >&2
  exit 1
}

address=${1:-${INBOX_RELEASES:-}}
prefix=${2:-${INBOX_PREFIX:-$HOME/.local}}
[ -n "$address" ] || fail "no address; give it as the first argument or in INBOX_RELEASES"
address=${address%/}
case $prefix in
  /*) ;;
  *) prefix=$(pwd)/$prefix ;;
esac

processor=$(uname -m)
case $(uname -s) in
  Linux) system=linux ;;
  Darwin)
    system=darwin
    # A shell that Rosetta translates says x86_64.
    [ "$(sysctl -n sysctl.proc_translated 2>/dev/null || true)" = 1 ] && processor=arm64
    ;;
  *) fail "no release for $(uname -s); on Windows use WSL, or npm install -g restante" ;;
esac
case $processor in
  x86_64 | amd64) processor=x64 ;;
  aarch64 | arm64) processor=arm64 ;;
  *) fail "no release for the processor $processor" ;;
esac
libc=
if [ "$system" = linux ] && [ ! -e /lib64/ld-linux-x86-64.so.2 ] && [ ! -e /lib/ld-linux-aarch64.so.1 ]; then
  for loader in /lib/ld-musl-*; do
    [ -e "$loader" ] && libc=-musl
  done
fi
file=inbox-$system-$processor$libc

download() { # NAME TO
  case $address in
    http://* | https://* | file://*)
      if command -v curl >/dev/null 2>&1; then
        curl --fail --silent --show-error --location --output "$2" "$address/$1"
      elif command -v wget >/dev/null 2>&1; then
        wget -q -O "$2" "$address/$1"
      else
        fail "neither curl nor wget is installed"
      fi
      ;;
    *) cp "$address/$1" "$2" ;;
  esac || fail "$1 could not be downloaded from $address"
}

checksum() {
  if command -v sha256sum >/dev/null 2>&1; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d ' ' -f 1
}

lib=$prefix/lib/restante
mkdir -p "$lib" "$prefix/bin"
work=$(mktemp -d "$lib/.install.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

download SHA256SUMS "$work/SHA256SUMS"
wanted=$(sed -n "s/^\([0-9a-f]\{64\}\)  $file\$/\1/p" "$work/SHA256SUMS")
[ -n "$wanted" ] || fail "the release at $address has no $file"
download "$file" "$work/inbox"
found=$(checksum "$work/inbox")
[ "$found" = "$wanted" ] || fail "$file has the checksum $found, SHA256SUMS says $wanted; nothing was installed"

chmod 755 "$work/inbox"
needs=
[ -z "$libc" ] || needs=' (on Alpine: apk add libstdc++)'
version=$("$work/inbox" --version) || fail "$file does not run here$needs; nothing was installed"
# By rename: a program that runs keeps the old file.
mv -f "$work/inbox" "$lib/inbox"
for name in inbox orch; do
  ln -sf ../lib/restante/inbox "$work/$name"
  mv -f "$work/$name" "$prefix/bin/$name"
done

# Completions, where the shells look for them.
complete_in() { # SHELL FOLDER NAME-OF-INBOX NAME-OF-ORCH
  mkdir -p "$prefix/share/$2"
  "$prefix/bin/inbox" completion "$1" >"$prefix/share/$2/$3"
  "$prefix/bin/orch" completion "$1" >"$prefix/share/$2/$4"
}
complete_in bash bash-completion/completions inbox orch
complete_in zsh zsh/site-functions _inbox _orch
complete_in fish fish/vendor_completions.d inbox.fish orch.fish

echo "installed $version in $prefix/bin"
case :$PATH: in
  *:"$prefix/bin":*) ;;
  *)
    echo "$prefix/bin is not on your PATH. Add this line to ~/.profile (or ~/.zprofile) and open a new shell:"
    echo "  export PATH=\"$prefix/bin:\$PATH\""
    ;;
esac
