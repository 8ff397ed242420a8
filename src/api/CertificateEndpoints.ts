/** Endpoints of device certificates and of the authority that signs them (docs/api.md#certificates). */
import { Schema } from "effect"
import { HttpApiEndpoint } from "effect/http-api"
import { DeviceCertificate } from "../domain/Certificate.ts"
import * as Parameter from "../domain/fields/Parameter.ts"
import { AuthorityRequest, RenewalRequest, RevocationRequest } from "../domain/requests/OperationRequests.ts"
import { documented, shown } from "./Documented.ts"
import { BadRequest, Conflict, Enveloped, InternalError, JobStartedOnDevices, NotFound } from "./Answers.ts"
import { RequestBody } from "./Requests.ts"

const Authority = Schema.Struct({
  certificate_authority: Schema.Struct({
    certificate: Schema.String,
    subject: Schema.String,
    not_after: Schema.String
  }).annotate({ identifier: "CertificateAuthority" })
})
const authorityExample = {
  status: "success",
  data: {
    certificate_authority: {
      certificate: "-----BEGIN CERTIFICATE-----\nMIID...\n-----END CERTIFICATE-----\n",
      subject: "CN=Switchyard device CA",
      not_after: "2046-11-16T10:00:00.000Z"
    }
  }
}

export const renewCertificates = HttpApiEndpoint.post("renewCertificates", "/device_cert", {
  payload: RenewalRequest.schema,
  success: JobStartedOnDevices,
  error: BadRequest
})
  .middleware(RequestBody)
  .annotateMerge(
    documented({
      name: "renewCertificates",
      summary: "Renew the certificates of devices",
      description:
        "Starts a job that makes a key and a certificate for each selected device, signed by the server's certificate authority, and installs them. `hostname` wins over `group`; the only `action` is RENEW.",
      example: {
        request: { action: "RENEW", hostname: "lhv-a1" },
        response: { status: "success", data: "Scheduled job to renew certificates", job_id: 140 }
      }
    })
  )

export const authority = HttpApiEndpoint.get("authority", "/certificate_authority", {
  success: Enveloped(Authority),
  error: [NotFound, InternalError]
}).annotateMerge(
  documented({
    name: "getCertificateAuthority",
    summary: "Show the certificate authority",
    description: "The certificate (PEM) that clients of the devices have to trust. Its key is never shown.",
    example: { response: authorityExample }
  })
)

export const createAuthority = HttpApiEndpoint.post("createAuthority", "/certificate_authority", {
  payload: AuthorityRequest.schema,
  success: Enveloped(Authority),
  error: [BadRequest, Conflict, InternalError]
})
  .middleware(RequestBody)
  .annotateMerge(
    documented({
      name: "createCertificateAuthority",
      summary: "Create a certificate authority",
      description:
        "Creates a key and a certificate in the files CAKEYFILE and CAFILE. Refused if they exist: a new authority would invalidate all certificates.",
      example: { request: { common_name: "Switchyard device CA" }, response: authorityExample }
    })
  )

const certificateExample = {
  serial: "5d0c3f6b1e2a4f7d8c9b0a1e2f3d4c5b",
  hostname: "lhv-a1",
  address: "10.196.16.6",
  issued_at: "2026-11-22T10:00:00Z",
  not_after: "2027-11-22T10:00:00Z",
  revoked_at: null,
  reason: null
}

export const certificates = HttpApiEndpoint.get("certificates", "/certificates", {
  query: { hostname: Schema.optionalKey(Parameter.text(shown("only those of this device", "lhv-a1"))) },
  success: Enveloped(Schema.Struct({ certificates: Schema.Array(DeviceCertificate) }))
}).annotateMerge(
  documented({
    name: "listCertificates",
    summary: "List the certificates of devices",
    description:
      "Certificates that this server signed and that have not expired, the newest first, including those of deleted devices. `hostname` is the name that the device had.",
    example: { response: { status: "success", data: { certificates: [certificateExample] } } }
  })
)

export const revokeCertificate = HttpApiEndpoint.post("revokeCertificate", "/certificate/:serial/revoke", {
  params: { serial: Schema.String },
  payload: RevocationRequest.schema,
  success: Enveloped(Schema.Struct({ certificate: DeviceCertificate })),
  error: [BadRequest, NotFound, Conflict]
})
  .middleware(RequestBody)
  .annotateMerge(
    documented({
      name: "revokeCertificate",
      summary: "Revoke a certificate",
      description:
        "The revocation list (`/certificate_authority/crl`, open to everybody) contains it from now on. The device uses it until it gets another one: renew it.",
      example: {
        request: { reason: "keyCompromise" },
        response: {
          status: "success",
          data: {
            certificate: { ...certificateExample, revoked_at: "2026-12-01T08:30:00Z", reason: "keyCompromise" }
          }
        }
      }
    })
  )
