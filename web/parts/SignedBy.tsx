/** Who signed a commit, or what is wrong with its signature; nothing where signatures are not verified. */
import type { CommitSignature } from "../../src/domain/CommitSignature.ts"
import { signatureWords, signedText } from "../../src/domain/words/ServerWords.ts"
import { StatusWord } from "./StatusWord.tsx"

/** What is known of the signature besides the signer. */
const moreOf = ({ key, why }: CommitSignature): string => [why, key].filter((part) => part !== null).join(", ")

export const SignedBy = ({ signature }: { readonly signature: CommitSignature | null }) => {
  if (signature === null) return null
  const { signer, state } = signature
  return (
    <span className="review-line" title={moreOf(signature)}>
      <StatusWord of={signatureWords} value={state} />
      {signer !== null && (state === "signed" ? ` by ${signer}` : ` (${signer})`)}
    </span>
  )
}

/** The same within a line, after the commit. */
export const Signer = ({ signature }: { readonly signature: CommitSignature | null | undefined }) => {
  if (signature === null || signature === undefined) return null
  return <span title={moreOf(signature)}>, {signedText(signature)}</span>
}
