/** Says what the page waits for, once the wait is noticeable. */
import { Group, Loader, Text } from "@mantine/core"
import { useEffect, useState } from "react"

const NOTICED = 300

export const Waiting = ({ what }: { readonly what: string }) => {
  const [isLong, setLong] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), NOTICED)
    return () => clearTimeout(timer)
  }, [])
  return (
    <Group role="status" gap="xs" mih={28}>
      {isLong && (
        <>
          <Loader size="xs" aria-hidden />
          <Text size="sm">Waiting for {what} …</Text>
        </>
      )}
    </Group>
  )
}
