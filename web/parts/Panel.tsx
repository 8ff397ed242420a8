/** A card of rows: its heading, how many there are, and entries that each say one thing in a sentence with its age and its next action. */
import { Card, Title } from "@mantine/core"
import type { Icon } from "@tabler/icons-react"
import { type ReactNode, useId } from "react"
import "./panel.css"
import { ToneIcon } from "./StatusWord.tsx"
import type { ToneName } from "./tones.ts"

interface PanelProps {
  readonly title: string
  readonly count?: number
  /** At the right of the heading. */
  readonly aside?: ReactNode
  readonly children: ReactNode
}

export const Panel = ({ aside, children, count, title }: PanelProps) => {
  const id = useId()
  return (
    <Card component="section" withBorder padding={0} mb="md" aria-labelledby={id} className="panel">
      <header className="panel-head">
        <Title order={2} id={id}>
          {title}
        </Title>
        {count !== undefined && <span className="panel-count">{count}</span>}
        {aside !== undefined && <div className="panel-aside">{aside}</div>}
      </header>
      {children}
    </Card>
  )
}

/** What stands in a card without being a list: text, forms. */
export const PanelBody = ({ children }: { readonly children: ReactNode }) => (
  <div className="panel-body">{children}</div>
)

/** The entries of a panel. */
export const Entries = ({ children, label }: { readonly label: string; readonly children: ReactNode }) => (
  <ul className="entries" aria-label={label}>
    {children}
  </ul>
)

interface EntryProps {
  readonly tone?: ToneName
  /** In place of the icon of the tone. */
  readonly icon?: Icon
  readonly title: ReactNode
  /** Below the title. */
  readonly children?: ReactNode
  /** Its age, or its end. */
  readonly time?: ReactNode
  readonly actions?: ReactNode
}

export const Entry = ({ actions, children, icon: Shape, time, title, tone = "quiet" }: EntryProps) => (
  <li className="entry">
    <span className="entry-icon" data-tone={tone}>
      {Shape === undefined ? <ToneIcon tone={tone} size={16} /> : <Shape size={16} stroke={1.75} aria-hidden />}
    </span>
    <div className="entry-text">
      <div className="entry-title">{title}</div>
      {children}
    </div>
    {time !== undefined && <span className="entry-time">{time}</span>}
    {actions !== undefined && <div className="entry-actions">{actions}</div>}
  </li>
)
