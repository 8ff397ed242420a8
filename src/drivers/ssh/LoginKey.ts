/** Private keys for logins: read once each, because to decrypt one costs as much as many logins. Errors never show the key. */
import { Redacted, Result } from "effect"
import type { ParsedKey } from "ssh2"
import type { LoginKey } from "../Driver.ts"
import { utils } from "./Ssh2.ts"

const read = ({ passphrase, text }: LoginKey): Result.Result<ParsedKey, string> => {
  const found = utils.parseKey(Redacted.value(text), passphrase === null ? undefined : Redacted.value(passphrase))
  if (found instanceof Error) return Result.fail(`the private key cannot be read: ${found.message}`)
  const key: ParsedKey | undefined = Array.isArray(found) ? found[0] : found
  return key?.isPrivateKey() === true ? Result.succeed(key) : Result.fail("it is no private key")
}

const known = new WeakMap<LoginKey, Result.Result<ParsedKey, string>>()

/** The key in the form of the SSH library; fails with a sentence. */
export const parse = (key: LoginKey): Result.Result<ParsedKey, string> => {
  const found = known.get(key) ?? read(key)
  known.set(key, found)
  return found
}
