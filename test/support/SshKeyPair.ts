/** Key pairs of people for SSH. */
import { utils } from "../../src/drivers/ssh/Ssh2.ts"

/**
 * A new ed25519 pair in OpenSSH's form, encrypted when there is a passphrase. ssh2 writes about one key in a few hundred in a form that it
 * cannot read itself: then it tries again.
 */
export const sshKeyPair = (passphrase?: string): { readonly private: string; readonly public: string } => {
  for (;;) {
    const pair =
      passphrase === undefined
        ? utils.generateKeyPairSync("ed25519")
        : utils.generateKeyPairSync("ed25519", { passphrase, cipher: "aes256-ctr", rounds: 16 })
    if (!(utils.parseKey(pair.private, passphrase) instanceof Error)) return pair
  }
}
