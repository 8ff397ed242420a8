/** A cable between two devices, with its addressing when it is a layer-3 link (docs/api.md#linknets). */
import { Schema } from "effect"

/** One link; for access-to-dist links end a is the access switch. */
export const Linknet = Schema.Struct({
  id: Schema.Int,
  ipv4_network: Schema.NullOr(Schema.String),
  device_a_id: Schema.Int,
  device_a_ip: Schema.NullOr(Schema.String),
  device_a_port: Schema.String,
  device_b_id: Schema.Int,
  device_b_ip: Schema.NullOr(Schema.String),
  device_b_port: Schema.String,
  site_id: Schema.NullOr(Schema.Int),
  description: Schema.NullOr(Schema.String)
})
export type Linknet = typeof Linknet.Type

/** What is needed to store a new link. */
export type NewLinknet = Omit<Linknet, "id">

/** True when an end of the link is this port of this device. */
export const touches = (link: NewLinknet, deviceId: number, port: string): boolean =>
  (link.device_a_id === deviceId && link.device_a_port === port) ||
  (link.device_b_id === deviceId && link.device_b_port === port)

/** Names the cable of a link: the same text whichever end is called a. */
export const cableOf = (link: NewLinknet): string =>
  [`${link.device_a_id} ${link.device_a_port}`, `${link.device_b_id} ${link.device_b_port}`].toSorted().join("|")

/** A link seen from one of its ends. */
export interface LinkEnd {
  readonly linknet: Linknet
  readonly port: string
  readonly ip: string | null
  readonly peerId: number
  readonly peerPort: string
  readonly peerIp: string | null
}

/** The link as seen from the device with this id, or null when the device is at neither end. */
export const endOf = (linknet: Linknet, deviceId: number): LinkEnd | null => {
  const { device_a_id, device_a_ip, device_a_port, device_b_id, device_b_ip, device_b_port } = linknet
  if (device_a_id === deviceId) {
    return {
      linknet,
      port: device_a_port,
      ip: device_a_ip,
      peerId: device_b_id,
      peerPort: device_b_port,
      peerIp: device_b_ip
    }
  }
  if (device_b_id !== deviceId) return null
  return {
    linknet,
    port: device_b_port,
    ip: device_b_ip,
    peerId: device_a_id,
    peerPort: device_a_port,
    peerIp: device_a_ip
  }
}
