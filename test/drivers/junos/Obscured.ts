/** Writes secrets in the form `$9$`, as a device does, with a salt of the caller's choice. It shares no code with the reader. */
import { randomOf } from "../../support/Random.ts"

const alphabet = "QzF3n6/9CAtpu0OB1IREhcSyrleKvMW8LXx7N-dVbwsY2g4oaJZGUDjiHkq.mPf5T"
const weights = [
  [32, 4, 1],
  [32, 16, 1],
  [32, 8, 1],
  [64, 1],
  [32, 1],
  [128, 16, 4, 1],
  [64, 32, 1]
]
const saltLength = (at: number) => (at < 15 ? 3 : at < 35 ? 2 : at < 55 ? 1 : 0)

/** The secret, of characters of one byte, in the form of Junos. */
export const obscured = (secret: string, salt: number): string => {
  const random = randomOf(salt)
  const any = () => Math.floor(random() * alphabet.length)
  let at = any()
  let text = `$9$${alphabet[at]}`
  for (let left = saltLength(at); left > 0; left--) text += alphabet[any()]
  for (const [place, character] of [...secret].entries()) {
    let rest = character.codePointAt(0) ?? 0
    const steps: Array<number> = []
    for (const weight of weights[place % weights.length] ?? []) {
      steps.unshift(Math.floor(rest / weight))
      rest %= weight
    }
    for (const step of steps) {
      at = (at + step + 1) % alphabet.length
      text += alphabet[at]
    }
  }
  return text
}
