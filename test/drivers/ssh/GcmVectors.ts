/** Test cases 3, 4, 15 and 16 of the specification of GCM (McGrew and Viega, 2005), which NIST refers to. */
const key = "feffe9928665731c6d6a8f9467308308"
const iv = "cafebabefacedbaddecaf888"
const aad = "feedfacedeadbeeffeedfacedeadbeefabaddad2"
const plaintext =
  "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255"
const ciphertext128 =
  "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091473f5985"
const ciphertext256 =
  "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad"

/** The cases with additional data leave out the last four bytes of the plaintext. */
const cut = (text: string): string => text.slice(0, -8)

/** Everything as hexadecimal digits. */
export const vectors = [
  { name: "case 3", key, iv, aad: "", plaintext, ciphertext: ciphertext128, tag: "4d5c2af327cd64a62cf35abd2ba6fab4" },
  {
    name: "case 4",
    key,
    iv,
    aad,
    plaintext: cut(plaintext),
    ciphertext: cut(ciphertext128),
    tag: "5bc94fbc3221a5db94fae95ae7121a47"
  },
  {
    name: "case 15",
    key: key + key,
    iv,
    aad: "",
    plaintext,
    ciphertext: ciphertext256,
    tag: "b094dac5d93471bdec1a502270e3cc6c"
  },
  {
    name: "case 16",
    key: key + key,
    iv,
    aad,
    plaintext: cut(plaintext),
    ciphertext: cut(ciphertext256),
    tag: "76fc6ece0f4e1768cddf8853bb2d551b"
  }
] as const
