/** What a person does between the blocks of the documents: what a document says in words, and what a site brings. */
import type { Block } from "../../../scripts/manual/Blocks.ts"

export interface Hand {
  /** A text of the block before which it is done; no other block has it. */
  readonly before: string
  /** Lines of shell, in the terminal of the document. */
  readonly lines?: string
  /** What a block says that runs until it is stopped. */
  readonly says?: RegExp
  /** What the block prints. */
  readonly shows?: RegExp
}

/** Where a block stands, for messages. */
export const whereOf = ({ document, line }: Block): string => `${document}:${line}`

/** Waits until a command of the shell succeeds. */
const until = (command: string) => `timeout 120 sh -c 'until ${command} > /dev/null; do sleep 0.2; done'`
const UNTIL_READY = until("curl -sf http://127.0.0.1:5000/api/health/ready")
const UNTIL_LIVE = until("curl -sf http://127.0.0.1:5000/api/health/live")
const CLONE = "cd /root/switchyard"

/** An editor that fills in what the documents ask for. */
const EDITOR = `printf '%s\\n' '#!/bin/sh' 'sed -i "s/^#ZTP_HTTP_PORT=80/ZTP_HTTP_PORT=80/" "$1"' > /root/editor
chmod +x /root/editor; export EDITOR=/root/editor`

/** Repositories of the site under the names that the documents have. */
export const FORGE = `for name in settings templates; do
  mkdir -p /srv/forge && cp -r /usr/lib/switchyard/examples/$name /srv/forge/$name.git
  git -C /srv/forge/$name.git init -q -b main && git -C /srv/forge/$name.git add -A
  git -C /srv/forge/$name.git -c user.name=Site -c user.email=site@example.org commit -qm Begin
done
git config --system url.file:///srv/forge/.insteadOf https://git.example.org/network/
git config --system safe.directory '*'
export PASSWORD='a long enough password'`

export const byHand: ReadonlyArray<Hand> = [
  { before: "npm run demo", says: /^Serving on/m },
  { before: "bin/switchyard devices", lines: CLONE, shows: /lhv-acc1/ },
  { before: 'curl -s "$API/devices?filter', shows: /lhv-acc1.*true/ },
  { before: "events?kind=device,job,change", says: /\S/ },
  { before: "device_synchistory", shows: /"status":"success"/ },
  { before: '"dry_run": false', shows: /\+ +switchport access vlan/ },
  { before: "$API/job/$JOB/revert", shows: /"status":"success"/ },
  { before: "npm run release", lines: CLONE, shows: /switchyard_\S+\.deb: OK/ },
  { before: "apt install", lines: EDITOR, shows: /^switchyard v\d/m },
  { before: "switchyard setup --name admin", lines: `${UNTIL_LIVE}\n${FORGE}`, shows: /admin may do everything/ },
  { before: "switchyard user add maria", lines: UNTIL_READY, shows: /access_token/ },
  { before: "openssl genpkey", lines: CLONE },
  {
    before: "Bearer $(cat maria.token)",
    lines: `install -m 0644 jwt-public.pem /etc/switchyard/
printf '%s\\n' JWT_CERT=/etc/switchyard/jwt-public.pem ROLES_CLAIM=roles >> /etc/switchyard/switchyard.env
systemctl restart switchyard
${UNTIL_READY}`,
    shows: /"status":"success"/
  },
  {
    before: "cp -r examples/settings",
    lines: `${CLONE}; mkdir -p /srv/git; git config --global user.name Admin; git config --global user.email admin@example.org`
  },
  { before: "api/v1.0/system/version", shows: /"status":"UP"[^]*"version":"\d/ },
  {
    before: "BACKUP_PASSPHRASE_FILE=",
    lines: `umask 077; echo 'a passphrase' > /etc/switchyard/backup.pass; umask 022
mkdir -p /mnt/elsewhere; chown switchyard /mnt/elsewhere`,
    shows: /encrypted/
  },
  { before: "journalctl --unit switchyard-backup", shows: /is whole, and this release can restore it/ },
  {
    before: "list.crl",
    lines: `TOKEN=$(curl -s -X POST -u "admin:a long enough password" http://127.0.0.1:5000/api/v1.0/auth | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
curl -sf -X POST -H "Authorization: Bearer $TOKEN" http://127.0.0.1:5000/api/v1.0/certificate_authority > /dev/null
${until("test -e /var/lib/switchyard/data/ca/rootCA.crt")}`,
    shows: /Certificate Revocation List/
  },
  {
    before: "password_dhcp_boot",
    lines: `${CLONE}; ${EDITOR}
mkdir -p /path/to; touch /path/to/fullchain.pem /path/to/private.pem
BOOT_PASSWORD=boot MANAGED_PASSWORD=managed`
  }
]
