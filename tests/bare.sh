#!/usr/bin/env bash
# `make check-bare`: a fresh Debian 12 with Python, venv and make, as a newcomer has it; this tree is unpacked there and the
# README's two commands are typed. Needs root and debootstrap. Where packages come from is this machine's own setting
# (apt's sources, pip's configuration and environment), read as it runs and kept nowhere else.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ "$(id -u)" != 0 ] || ! command -v debootstrap >/dev/null; then
  echo "make check-bare needs root and debootstrap. Type: sudo sh -c 'apt-get install -y debootstrap && make check-bare'" >&2
  exit 1
fi

tree=/srv/$(basename "$PWD")  # inside; spelt out nowhere, since a release may not hold the path it was built at
shared=()
root=$(mktemp -d /var/tmp/footnoted-bare-XXXXXX)
chmod 755 "$root"  # it is the root of users who are not root too
finish() {
  for place in proc sys dev/pts dev/shm dev; do umount -l "$root/$place" 2>/dev/null || true; done
  for each in "${shared[@]}"; do umount -l "$root$each" 2>/dev/null || true; done
  rm -rf --one-file-system "$root"
}
trap finish EXIT

mirror=$({ cat /etc/apt/sources.list.d/* /etc/apt/sources.list 2>/dev/null || true; } |
  sed -n 's/^URIs: *//p; s/^deb *\(\[[^]]*\] *\)\?\([^ ]*\).*/\2/p' | head -1)
debootstrap --variant=minbase --include=ca-certificates,python3,python3-venv,make bookworm "$root" "${mirror:-http://deb.debian.org/debian}" >/dev/null

rm -f "$root/etc/apt/sources.list"  # where this machine has one, it is copied
for place in /etc/apt/sources.list /etc/apt/sources.list.d /etc/apt/apt.conf.d /etc/apt/auth.conf.d /etc/apt/trusted.gpg.d \
             /usr/share/keyrings /etc/pip.conf "$HOME/.config/pip" "$HOME/.pip" /etc/resolv.conf /etc/hosts /usr/local/share/ca-certificates; do
  if [ -e "$place" ]; then mkdir -p "$root$(dirname "$place")" && rm -rf "${root:?}$place" && cp -RL "$place" "$root$place"; fi
done
if [ -f /etc/ssl/certs/ca-certificates.crt ]; then cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"; fi
# Folders that pip is told to look into are seen there too, and cannot be written.
for place in $( (pip config list 2>/dev/null || python3 -m pip config list 2>/dev/null; env | grep ^PIP_ || true) | grep -o '/[^ '"'"']*' | sort -u); do
  place=${place/#\/\/\//\/}; place=${place%/simple}  # beside an index stand its files
  if [ -d "$place" ]; then mkdir -p "$root$place" && mount --bind "$place" "$root$place" && mount -o remount,ro,bind "$root$place" && shared+=("$place"); fi
done
for place in proc sys dev dev/pts; do mount --bind "/$place" "$root/$place"; done
mkdir -p "$root/dev/shm" && mount -t tmpfs tmpfs "$root/dev/shm"
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d" && chmod +x "$root/usr/sbin/policy-rc.d"  # nothing is started at install

mkdir -p "$root$HOME" "$root$tree"
git ls-files -z --cached --others --exclude-standard | tar -c --null --files-from=- | tar -x -C "$root$tree"
settings=(PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME="$HOME" LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive)
while IFS= read -r each; do settings+=("$each"); done < <(env | grep -iE '^(PIP_|UV_|https?_proxy=|no_proxy=|SSL_CERT_|REQUESTS_CA_)' || true)
typed() {
  echo "\$ $1"
  begun=$SECONDS
  env -i "${settings[@]}" chroot "$root" sh -c "cd $tree && $1"
  echo "  ($((SECONDS - begun)) s)"
}

typed "$(sed -n '/^```console$/{n;s/^\$ //p;q}' README.md)"  # the front page's first command
typed "make check"
