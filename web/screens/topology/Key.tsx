/** The key of the drawing, folded until it is asked for: the standings of this overlay with their numbers, and the kinds of cables. */
import { UnstyledButton } from "@mantine/core"
import { IconChevronDown, IconChevronUp } from "@tabler/icons-react"
import { useState } from "react"
import { AGREEMENTS } from "./agreement.ts"
import { type Standing, summed } from "./coloring.ts"

export const Key = ({ standings }: { readonly standings: ReadonlyArray<Standing> }) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <div className="topology-key topology-card">
      <UnstyledButton fz="inherit" fw={500} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? <IconChevronDown size={14} aria-hidden /> : <IconChevronUp size={14} aria-hidden />} Key
      </UnstyledButton>
      {isOpen && (
        <ul aria-label="Key of the drawing">
          {summed(standings).map(({ count, shape, tone, word }) => (
            <li key={word}>
              <svg width="17" height="17" aria-hidden="true">
                <rect width="17" height="17" rx="4" className="block-cell" data-tone={tone} data-shape={shape} />
              </svg>
              {word} ({count})
            </li>
          ))}
          {AGREEMENTS.map(([agreement, text]) => (
            <li key={agreement}>
              <svg width="30" height="8" aria-hidden="true">
                <line x1="0" y1="4" x2="30" y2="4" className={`cable-${agreement}`} />
              </svg>
              {text}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
