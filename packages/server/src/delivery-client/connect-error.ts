import type { AttemptErrorCode } from '../ports/webhooks/delivery.ts'

type SystemError = Error & { readonly code?: unknown }

/**
 * Why there is no connection. The owner of the webhook sees `message`: it MUST NOT describe the network of the service.
 */
export class ConnectError extends Error {
  override readonly name = 'ConnectError'
  readonly attemptCode: AttemptErrorCode

  constructor(attemptCode: AttemptErrorCode, message: string) {
    super(message)
    this.attemptCode = attemptCode
  }
}

export function addressRefused(): ConnectError {
  return new ConnectError('address_refused', 'the host is an address that deliveries do not go to')
}

/**
 * The same for an unknown name and for a name at private addresses: users must not find out which names a network has.
 */
export function noAddress(): ConnectError {
  return new ConnectError(
    'dns_failed',
    'the name of the host has no address that deliveries go to: it cannot be resolved, or is at private addresses, which only the operator can allow',
  )
}

export function notInTime(): ConnectError {
  return new ConnectError('dns_failed', 'the name of the host could not be looked up in time')
}

export function closedAtOnce(): ConnectError {
  return new ConnectError('connection_failed', 'the connection was closed before a request could be sent')
}

/** @param refused makes the error for an address that the block list refused */
export function toConnectError(error: SystemError, refused: () => ConnectError): ConnectError {
  if (error instanceof ConnectError) return error
  if (error.code === 'ERR_IP_BLOCKED') return refused()
  if (error.code === 'ECONNREFUSED') {
    return new ConnectError('connection_refused', 'nothing listens there: the connection was refused')
  }
  return new ConnectError('connection_failed', `no connection could be made${codeOf(error)}`)
}

/**
 * Shows the text of certificate errors: it quotes only the public certificate. Others quote source lines of OpenSSL.
 */
export function toTlsError(error: SystemError): ConnectError {
  const isOfCertificate = /^(ERR_TLS_CERT|CERT_|UNABLE_|DEPTH_|SELF_|HOSTNAME_)/.test(String(error.code))
  const detail = isOfCertificate ? `the certificate is not accepted: ${error.message}` : 'the TLS handshake failed'
  return new ConnectError('tls_failed', `${detail}${isOfCertificate ? '' : codeOf(error)}`)
}

function codeOf({ code }: SystemError): string {
  return typeof code === 'string' ? ` (${code})` : ''
}
