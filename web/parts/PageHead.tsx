/**
 * The head of a screen: its heading, which is also the title of the browser's tab, badges, one line of facts, and its actions. The way to the
 * screen stands in the bar. On the phone the main action stays at the bottom of the window.
 */
import { ActionIcon, Menu, Title } from "@mantine/core"
import { IconChevronRight, IconDots } from "@tabler/icons-react"
import { Fragment, type ReactNode, useEffect, useState } from "react"
import { createPortal } from "react-dom"
import { CRUMBS } from "./crumbs.ts"
import { PlainLink } from "./PlainLink.tsx"

interface Crumb {
  readonly label: string
  /** Path behind `/ui`. */
  readonly to: string
}

interface Props {
  readonly title: string
  /** The screens above this one, the highest first. */
  readonly crumbs?: ReadonlyArray<Crumb>
  /** Beside the heading: `StatusBadge`s. */
  readonly badges?: ReactNode
  /** One line below the heading. */
  readonly facts?: ReactNode
  /** At most two plain buttons. */
  readonly actions?: ReactNode
  /** The one filled button. */
  readonly main?: ReactNode
  /** `Menu.Item`s behind "…". */
  readonly more?: ReactNode
}

const Crumbs = ({ crumbs, title }: { readonly crumbs: ReadonlyArray<Crumb>; readonly title: string }) => {
  const [bar, setBar] = useState<HTMLElement | null>(null)
  useEffect(() => setBar(document.getElementById(CRUMBS)), [])
  if (bar === null) return null
  return createPortal(
    <>
      {crumbs.map(({ label, to }) => (
        <Fragment key={to}>
          <PlainLink to={to}>{label}</PlainLink>
          <IconChevronRight size={13} stroke={1.75} aria-hidden />
        </Fragment>
      ))}
      <span aria-current="page">{title}</span>
    </>,
    bar
  )
}

export const PageHead = ({ actions, badges, crumbs = [], facts, main, more, title }: Props) => {
  useEffect(() => {
    document.title = `${title} · Switchyard`
  }, [title])
  return (
    <header className="page-head">
      <Crumbs crumbs={crumbs} title={title} />
      <div className="page-head-text">
        <div className="page-head-line">
          <Title order={1}>{title}</Title>
          {badges}
        </div>
        {facts !== undefined && <div className="page-head-facts">{facts}</div>}
      </div>
      <div className="page-head-actions">
        {actions}
        {more !== undefined && (
          <Menu position="bottom-end">
            <Menu.Target>
              <ActionIcon variant="default" size={30} aria-label="More actions">
                <IconDots size={16} stroke={1.75} />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>{more}</Menu.Dropdown>
          </Menu>
        )}
        {main !== undefined && <div className="page-head-main">{main}</div>}
      </div>
    </header>
  )
}
