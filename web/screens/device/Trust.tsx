/** The key by which the switch proves its identity, and its certificate. */
import { Group, Stack, Text, Title } from "@mantine/core"
import { useRouter } from "@tanstack/react-router"
import { ask, request } from "../../api/call.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useMay } from "../../app/useSession.ts"
import { Confirm } from "../../parts/Confirm.tsx"
import { Asked } from "../../parts/Asked.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { SmallTable } from "../../parts/SmallTable.tsx"
import { StatusWord } from "../../parts/StatusWord.tsx"
import { When } from "../../parts/When.tsx"
import type { TabProps } from "./record.ts"

const HostKey = ({ device: { hostname } }: TabProps) => {
  const may = useMay()
  const asked = useAsk("GET /device/:hostname/host_key", { params: { hostname } }, { kinds: ["host_key"] })
  const mayPin = may("PUT", `/device/${hostname}/host_key`)
  const send = (body: unknown) => () => request("PUT /device/:hostname/host_key", { params: { hostname }, body })
  return (
    <section aria-label="Host key">
      <Title order={2}>Host key</Title>
      <Asked of={asked} what="the host key">
        {({ data: { host_key: key } }) => (
          <Stack gap="xs">
            <Text>
              Pinned: <code>{key.fingerprint ?? "none yet; the next login pins what the switch shows"}</code>
            </Text>
            {key.refused_fingerprint !== null && (
              <>
                <StatusWord tone="bad">Another key was refused, and the device is blocked</StatusWord>
                <Text>
                  Refused: <code>{key.refused_fingerprint}</code>. Trust it only if you know why the switch has another
                  key: it was replaced or reset.
                </Text>
                {mayPin && (
                  <Confirm
                    label="Trust the refused key"
                    danger
                    act={send({ action: "PIN", fingerprint: key.refused_fingerprint })}
                  >
                    Whoever holds this key is taken for {hostname} from now on.
                  </Confirm>
                )}
              </>
            )}
            {mayPin && key.fingerprint !== null && (
              <Group>
                <Confirm label="Forget the pinned key" danger act={send({ action: "FORGET" })}>
                  The next login pins whatever key the device shows.
                </Confirm>
              </Group>
            )}
          </Stack>
        )}
      </Asked>
    </section>
  )
}

const Certificate = ({ device: { hostname } }: TabProps) => {
  const may = useMay()
  const router = useRouter()
  const asked = useAsk(
    "GET /certificates",
    { query: { hostname } },
    { kinds: ["certificate"], enabled: may("GET", "/certificates") }
  )
  const renew = async () => {
    const { answer } = await ask("POST /device_cert", { body: { hostname, action: "RENEW" } })
    router.history.push(`/ui/job/${answer.job_id}`)
  }
  return (
    <section aria-label="Certificate">
      <Title order={2}>Certificate</Title>
      {may("GET", "/certificates") && (
        <Asked of={asked} what="the certificates">
          {({ data: { certificates } }) =>
            certificates.length === 0 ? (
              <Empty>No certificate was issued. Renew it to issue the first one.</Empty>
            ) : (
              <SmallTable
                label="Certificates"
                heads={["Serial", "Ends", "Revoked"]}
                rows={certificates}
                keyOf={({ serial }) => serial}
                cells={({ not_after, revoked_at, serial }) => [
                  <code>{serial}</code>,
                  <When at={not_after} />,
                  <When at={revoked_at} never="no" />
                ]}
              />
            )
          }
        </Asked>
      )}
      {may("POST", "/device_cert") && (
        <Confirm label="Renew the certificate" act={renew}>
          A job makes a key and a certificate, and installs them.
        </Confirm>
      )}
    </section>
  )
}

export default function Trust({ device }: TabProps) {
  return (
    <Stack>
      <HostKey device={device} />
      <Certificate device={device} />
    </Stack>
  )
}
