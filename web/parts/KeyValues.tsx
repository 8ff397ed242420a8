/** Facts with their names. Addresses, serial numbers and commits can be copied. */
import { ActionIcon } from "@mantine/core"
import { IconCheck, IconCopy } from "@tabler/icons-react"
import { type ReactNode, useEffect, useState } from "react"
import { MISSING } from "../../src/domain/words/Units.ts"

interface KeyValue {
  readonly key: string
  /** A value that is missing is a dash. */
  readonly value: ReactNode
  /** The text that a button copies. */
  readonly copy?: string | undefined
}

interface Props {
  /** The name of the list, for screen readers. */
  readonly label: string
  readonly items: ReadonlyArray<KeyValue>
  /** Values at the right edge, as in cards at the side. */
  readonly side?: boolean
}

/** Copies a text, and says for two seconds that it did. */
export const CopyButton = ({ name, text }: { readonly text: string; readonly name: string }) => {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), 2000)
    return () => clearTimeout(timer)
  }, [isCopied])
  // browsers give the clipboard to encrypted pages and to localhost only
  if (!("clipboard" in navigator)) return null
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
  }
  return (
    <ActionIcon
      variant="subtle"
      size={24}
      className="copy"
      aria-label={isCopied ? `${name} is copied` : `Copy ${name}`}
      onClick={() => void copy().catch(() => setCopied(false))}
    >
      {isCopied ? <IconCheck size={14} stroke={1.75} /> : <IconCopy size={14} stroke={1.75} />}
    </ActionIcon>
  )
}

const isMissing = (value: ReactNode) => value === null || value === undefined || value === ""

export const KeyValues = ({ items, label, side = false }: Props) => (
  <dl className="key-values" aria-label={label} {...(side ? { "data-side": true } : {})}>
    {items.map(({ copy, key, value }) => (
      <div key={key}>
        <dt>{key}</dt>
        <dd>
          <span>{isMissing(value) ? MISSING : value}</span>
          {copy !== undefined && copy !== "" && <CopyButton text={copy} name={key} />}
        </dd>
      </div>
    ))}
  </dl>
)
