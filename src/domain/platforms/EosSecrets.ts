/**
 * Secrets of EOS that get a new salt each time they are given to a switch: clear ones are shown as a hash, those of type 7 and
 * 8a in another obfuscation. A hash that is given (`sha512`, `5`) is shown as it is.
 */

/** Words between the command and its secret, such as an address and a VRF. */
const words = String.raw`(?:\S+[ \t]+){0,20}?`

/** What stands before each, from the first word of the line on. */
export const eosSaltedSecrets: ReadonlyArray<string> = [
  String.raw`username[ \t]+\S+[ \t]+${words}secret[ \t]+`,
  String.raw`enable[ \t]+(?:secret|password)[ \t]+`,
  String.raw`(?:radius|tacacs)-server[ \t]+${words}key[ \t]+`,
  String.raw`ntp[ \t]+authentication-key[ \t]+\d+[ \t]+(?:md5|sha\d*)[ \t]+`,
  String.raw`neighbor[ \t]+\S+[ \t]+password[ \t]+`,
  String.raw`(?:ip[ \t]+|ipv6[ \t]+)?ospf(?:v3)?[ \t]+${words}(?:authentication-key|message-digest-key[ \t]+\d+[ \t]+(?:md5|sha\d*))[ \t]+`,
  String.raw`(?:isis[ \t]+)?authentication[ \t]+${words}key[ \t]+`,
  String.raw`key[ \t]+[\da-fA-F]+[ \t]+(?=[78]a?[ \t]|\*)`,
  String.raw`(?:key|password|shared-key|passphrase)[ \t]+`
]
