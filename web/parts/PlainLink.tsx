/** A link to another screen by its address behind `/ui`. */
import { Anchor } from "@mantine/core"
import { useRouter } from "@tanstack/react-router"
import type { MouseEvent, ReactNode } from "react"

interface Props {
  /** Path and query behind `/ui`. */
  readonly to: string
  readonly children: ReactNode
  readonly className?: string
  readonly label?: string
}

const opensElsewhere = (event: MouseEvent) =>
  event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey

export const PlainLink = ({ children, className, label, to }: Props) => {
  const router = useRouter()
  const go = (event: MouseEvent) => {
    if (opensElsewhere(event)) return
    event.preventDefault()
    router.history.push(`/ui${to}`)
  }
  return (
    <Anchor
      underline="always"
      href={`/ui${to}`}
      onClick={go}
      {...(className === undefined ? {} : { className })}
      {...(label === undefined ? {} : { "aria-label": label })}
    >
      {children}
    </Anchor>
  )
}
