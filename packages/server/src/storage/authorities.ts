import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { getCACertificates } from 'node:tls'
import { OperatorError } from '../lib/operator-error.ts'

/**
 * Certificates (PEM) of authorities for PostgreSQL, ClickHouse and S3: Node's own and the operator's file. Null without
 * a file: then Node's own are used. Throws OperatorError for a file that cannot be read or holds anything but
 * certificates.
 */
export function readAuthorities(path: string | null): readonly string[] | null {
  if (path === null) return null
  const added = certificatesOf(path)
  return [...getCACertificates('default'), ...added]
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g

function certificatesOf(path: string): readonly string[] {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw new OperatorError(`SPOOR_TLS_CA_FILE cannot be read: ${String(error)}`, { cause: error })
  }
  const found = text.match(CERTIFICATE) ?? []
  if (found.length === 0) throw new OperatorError(`SPOOR_TLS_CA_FILE (${path}) holds no certificate in PEM form.`)
  for (const [index, certificate] of found.entries())
    checkCertificate(certificate, `${index + 1} of SPOOR_TLS_CA_FILE (${path})`)
  return found
}

/** OpenSSL would leave out a broken one without a word. */
function checkCertificate(certificate: string, name: string): X509Certificate {
  try {
    return new X509Certificate(certificate)
  } catch (error) {
    throw new OperatorError(`Certificate ${name} cannot be read.`, { cause: error })
  }
}
