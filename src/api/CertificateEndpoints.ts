/** Endpoints of device certificates and of the authority that signs them (docs/api.md#certificates). */
import { Schema } from "effect"
import { HttpApiEndpoint } from "effect/http-api"
import { AuthorityRequest, RenewalRequest } from "../domain/requests/OperationRequests.ts"
import { documented } from "./Documented.ts"
import { Enveloped, JobStartedOnDevices } from "./Envelope.ts"
import { BadRequest, Conflict, InternalError, NotFound } from "./Failures.ts"
import { RequestBody } from "./Requests.ts"

const Authority = Schema.Struct({
  certificate_authority: Schema.Struct({ certificate: Schema.String, subject: Schema.String, not_after: Schema.String })
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
      summary: "Create a certificate authority",
      description:
        "Makes a key and a certificate in the files CAKEYFILE and CAFILE. Refused when there is one already: a new one would make all certificates worthless.",
      example: { request: { common_name: "Switchyard device CA" }, response: authorityExample }
    })
  )
