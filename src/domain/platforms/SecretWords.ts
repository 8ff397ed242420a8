/**
 * The words around secrets in the lines of all platforms, as sources of regular expressions: the text before a secret, the
 * harmless words between, and the words that may follow it. Every word of unknown meaning is hidden with the secret
 * (docs/security.md#forms-of-secrets), so a form that is missing here hides too much and never too little.
 */

/** The beginning of a statement: a line, which may have the sign of a difference, or the text after a heading that is joined to it. */
const start = String.raw`(?:^[+-]?\s*|[/{;|"']\s*|\bno\s+)`
/** The beginning of a word. */
const word = String.raw`(?<![\w-])`
/** The line has one of these words before this place. The distance is bounded, so that long lines take linear time. */
const after = (words: string) => String.raw`(?<=${words}.{0,300})`

const algorithm = String.raw`(?:md5|sha\d*|sha[\d-]+|hmac-\S+|cmac-\S+|aes-\S+|scrypt)`
const typeWord = String.raw`(?:0|3|[4-9]|7u?|8a|10|14|\$\w+\$|sha512|sha256|md5|scrypt|hmac-[\w-]+|fips|encrypted|unencrypted|clear|cleartext|clear-text|plain-text|plaintext|ciphertext|hashed|ascii-text|ascii|hexadecimal|hex|text|string|value)`

/** Types before a secret (`0`, `7`, `sha512`, `ciphertext`) are not secret and stay. */
const secretType = String.raw`(?:${typeWord}\s+){0,4}`

const host = String.raw`\bsnmp-server\s+host\s+\S+\s+(?:(?:vrf|use-vrf|filter-vrf)\s+\S+\s+)?(?:(?:traps?|informs?)\s+)?`

/** Words after `password` and `secret` that set requirements for passwords, or the place where one is stored. */
const policies = String.raw`(?:(?:minimum|maximum|policy|encryption|encryption-key|strength|strength-check|complexity|history|length|lifetime|format|change-type|prompt|required|rollover|inheritance-disable|inherit|aging|keychain|expiration|expire|profile)(?=\s|;|$)|(?:minimum|maximum|expiry|encryption)-|shared-secret\s+profile\s|option\s+\d+\s+for\s|hash\s+${algorithm}\s*;?\s*$|lifetime\s)`
/** The number of a key, which its own words follow. */
const keyNumber = String.raw`(?:\d{1,10}\s*(?:[{/](?:\s|$)|(?:secret|key-string|key-octet-string|start-time|key-name|algorithm|options|accept-lifetime|send-lifetime|cryptographic-algorithm)\s+\S))`
const noKey = String.raw`(?!(?:chain|chains|generate|config-key|zeroize|import|export|pair|rsa|ecdsa|id)\b|${keyNumber}|[{](?:\s|$))`
const servers = String.raw`(?:radius|tacacs|tacplus|server-private|isakmp|map-server|pre-share|isis|ospf6?|pac|license|authentication|macsec|\bmd5|\bsha\d*)`

/** The text before a secret in a line in Cisco's style, with the words between. */
export const commonSecrets: ReadonlyArray<string> = [
  String.raw`\benable\s+(?:secret|password)\s+(?:level\s+\d+\s+)?${secretType}`,
  String.raw`\bsnmp-server\s+community(?:-map)?\s+${secretType}`,
  String.raw`${host}version\s+v?3\s+(?:auth|noauth|priv)\s+`,
  String.raw`${host}(?:version\s+v?(?:1|2c)\s+)?(?:community\s+)?${secretType}(?!(?:version|vrf|use-vrf|filter-vrf|source-interface|community)\b)`,
  String.raw`${word}(?:mib\s+)?community-map\s+`,
  String.raw`\blocalized\s+`,
  String.raw`\bauth\s+(?:md5|sha-2|sha\S*)(?:\s+(?:224|256|384|512)(?=\s+\S))?\s+${secretType}(?!auth-pass\b)`,
  String.raw`\bpriv\s+(?:des56|des|3des|aes(?:[ -](?:128|192|256)(?=\s+\S))?|aes\S*)\s+${secretType}(?!priv-pass\b)`,
  String.raw`\bpriv\s+(?:(?=0x)|${after(String.raw`\bsnmp-server\s+user\s`)}(?!(?:des|3des|aes)\b))`,
  String.raw`\b(?:auth|priv)-pass\s+${secretType}`,
  String.raw`\b(?:message-digest|authentication)-key\s+(?:\d+\s+(?=\S))?(?:(?:type\s+)?${algorithm}\s+)?${secretType}`,
  String.raw`\bpre-share(?:d)?[-\s]key\s+(?:(?:local|remote|key|(?:address|hostname)\s+\S+(?:\s+\d+\.\d+\.\d+\.\d+)?)\s+){0,4}${secretType}(?!(?:ckn|cak)\b)`,
  String.raw`\bconfig-key\s+(?:(?:password-encrypt\w*|newpass|oldpass|\d+)\s+(?=\S))?${secretType}`,
  String.raw`${start}key\s+[\da-fA-F]+\s+(?=(?:0|7u?|8a)\s+\S|\*{8}|<hidden)${secretType}`,
  String.raw`${word}key\s+${noKey}(?:(?:0|[4-9]|7u?|8a|10|ciphertext|plaintext|encrypted|clear|ascii-text|hexadecimal)\s+)+`,
  String.raw`${word}key\s+${after(servers)}${noKey}${secretType}`,
  String.raw`${start}key\s+${noKey}(?!\d{1,5}\s*;?\s*$)${secretType}`,
  String.raw`\b[\w-]*(?:key-string|key-octet-string|shared-key|server-key|set-key|secret-key|hash-key|wep-key|master-key|encryption-key|privacy-key|private-key|api-key|(?:shared|auth|access|api)-token|psk|pmk)\s+(?!(?:common|reversible)\s*$|(?:ckn|cak|set-key)\b)(?:password\s+(?=\S))?${secretType}`,
  String.raw`${word}(?:cak|ckn)\s+${secretType}`,
  String.raw`${word}authentication\s+(?:text|string)\s+${secretType}`,
  String.raw`\btext-authentication\s+${secretType}`,
  String.raw`${word}authentication\s+${after(String.raw`\b(?:standby|vrrp|glbp|hsrp|nhrp)\b`)}(?!(?:md5|ietf-md5|key-chain|sha\S*|mode)\b)${secretType}`,
  String.raw`${word}authentication\s+mode\s+hmac-\S+\s+${secretType}`,
  String.raw`${word}(?:md5|sha-?\d+|aes-cbc(?:\s+(?:128|192|256))?|aes\S*|3des|des)\s+${after(String.raw`\bspi\s+\d+\s`)}(?!(?:md5|sha-?\d+)\b)(?:passphrase\s+)?${secretType}`,
  String.raw`${start}community\s+(?!(?:add|delete|set|remove|members)\b|\S+\s+(?:members|invert-match)\b|[{](?:\s|$))`,
  String.raw`(?<![a-z\d]|\s-[\w-]{0,30})(?:secret|password|passwd|pass-?phrase|passcode)(?:-value|-hash|-string)?\s+(?!${policies})(?:\d{1,5}\s+(?=(?:0|7|8a)\s+\S))?${secretType}`
]

/**
 * The text before a secret in a configuration of Junos, in braces and in `set` lines. The name of a trap group is the community that
 * its traps carry.
 */
export const junosSecrets: ReadonlyArray<string> = [
  String.raw`\btrap-group\s+`,
  String.raw`\bkey-name\s+`,
  String.raw`\bsecurity-association\s+\d+\s+key\s+`,
  String.raw`${start}(?:ascii-text|hexadecimal)\s+`,
  String.raw`${start}(?:type\s+[\w-]+\s*;\s*)?value\s+(?=[^\n;]{1,300};)`,
  String.raw`\bsnmp\s+community\s+`,
  String.raw`\b(?:community-name|(?:hello-|encrypted-)?authentication-key|privacy-key)\s+${secretType}`,
  String.raw`\b(?:simple-password|encrypted-password|(?:root-)?authentication-password|privacy-password|chap-secret|pap-password)\s+${secretType}`,
  ...commonSecrets
]

/**
 * Harmless text that may follow a secret: a word, or a word and its value. The value of an access list's name, a role or a view
 * cannot be distinguished from other words, so such a word counts only where it is named here.
 */
const name = String.raw`[\w.:/-]{1,64}`
export const harmlessAfter: ReadonlyArray<string> = [
  String.raw`(?:ro|rw|read-only|read-write)(?:\s+(?:ipv6\s+)?(?:${name}))?`,
  String.raw`(?:view|group|use-acl|use-ipv4acl|use-ipv6acl|context|authorization|clients|routing-instance|role|vrf|use-vrf|ipv6|ipv4|source-interface|access|hostname|cryptographic-algorithm|engineID|type|hash|nas-id)\s+${name}`,
  String.raw`(?:privilege|timeout|retransmit|auth-port|acct-port|udp-port|port|mode-list|key-id)\s+[\w-]+`,
  String.raw`priv\s+(?:aes\S*|des|3des)(?=\s+priv-pass\b)`,
  String.raw`address\s+[\d.:a-f]+(?:/\d+)?(?:\s+\d+\.\d+\.\d+\.\d+)?`,
  String.raw`(?:receive|transmit)-lifetime\s+infinite`,
  String.raw`(?:targets\s+[\d.:a-f]+|version\s+(?:v1|v2|all)|destination-port\s+\d+)`,
  String.raw`(?:level-1-2|level-1|level-2|fallback|authentication|accounting|no-xauth|trusted|localizedkey|localizedV2key|restrict|single-connection|send-only|authenticate\s+snp|validate|hidden)`,
  // the type of a key of NTP on IOS
  String.raw`[07]\s*$`
]

/** Parts of lines that are secrets on their own, at any place: the text before, and the secret. The text after it stays. */
export const secretShapes: ReadonlyArray<readonly [before: string, secret: string]> = [
  // URLs with a password, or with a long token alone
  [String.raw`\b[a-z][a-z\d+.-]{0,20}://[^\s/:@"']{0,100}:`, String.raw`[^\s"']{1,300}(?=@)`],
  [String.raw`\b[a-z][a-z\d+.-]{0,20}://`, String.raw`[^\s/:@"']{16,300}(?=@)`],
  // options of programs that daemons and handlers run
  [String.raw`-\w*auth=(?:[a-z]+[,:](?!/))`, String.raw`[^\s"']+`],
  [
    String.raw`\s(?:-u|-U|--user|--proxy-user)(?:\s+|=)?${after(String.raw`\bcurl\b`)}`,
    String.raw`'[^']*'|"[^"]*"|\S+`
  ],
  [String.raw`\bsshpass\s+-p\s*`, String.raw`'[^']*'|"[^"]*"|\S+`],
  [
    String.raw`\s-[cAX]\s+${after(String.raw`\bsnmp(?:walk|get|set|trap|bulkwalk)\b`)}`,
    String.raw`'[^']*'|"[^"]*"|\S+`
  ],
  [
    String.raw`(?<![a-z\d])(?:password|passwd|passphrase|secret|token|api[-_]?key|access[-_]key)"?(?:=|\s*:\s*(?="))`,
    String.raw`'[^']*'|"(?:[^"\\]|\\.)*"|[^\s"'&]+`
  ],
  [String.raw`\s--?[\w-]*(?:password|passwd|secret|token|api-?key)\s+`, String.raw`'[^']*'|"[^"]*"|[^\s-]\S*`],
  // headers
  [
    String.raw`\b(?:(?:proxy-)?authorization|x-[\w-]{0,40}(?:token|key|auth)[\w-]{0,40}|private-token|api-key|(?:set-)?cookie)\s*[:=]\s*`,
    String.raw`[^"'\n]+`
  ],
  [String.raw`\b(?:bearer|basic)\s+`, String.raw`[\w.~+/=-]{8,}`],
  [String.raw`\b`, String.raw`eyJ[\w-]{5,}(?:\.[\w-]*)+`],
  // hashes
  [
    String.raw`${word}sha512\s+(?:(?:0|7|8a)\s+)?(?!(?:auth-pass|priv|priv-pass|dh-group|prf|md5|sha\d+|group\d+|aes\S*|key|encryption)\b)`,
    String.raw`"[^"]*"|[^\s;"]+`
  ],
  [String.raw``, String.raw`"\$(?:\d{1,2}[a-z]?|g?y|sha1|md5|argon2\w*|scrypt)\$[^"]*"`],
  [String.raw`(?<![\w$])`, String.raw`\$(?:\d{1,2}[a-z]?|g?y|sha1|md5|argon2\w*|scrypt)\$[^\s"';]+`],
  [String.raw`(?<![^\s;])`, String.raw`(?:"[^"]*"|[^\s;"]+)(?=;?\s*##\s*SECRET-DATA)`]
]

/** Every line with a secret contains one of these, so that most lines need no closer look. Longer parts of words would be slower. */
export const secretHints =
  "secre|passw|pass-?p|passc|commu|auth|priv|local|snmp|sha5|token|cook|curl|sshp|bear|basi|key|psk|pmk|cak|ckn|spi|trap-g|ascii|hexad|value|://|eyJ|\\$\\w"
