import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { getCACertificates } from 'node:tls'
import { OperatorError } from '../lib/operator-error.ts'

/**
 * Certificates (PEM) of authorities that may sign those of PostgreSQL, ClickHouse and S3: those that Node knows, and
 * those of the operator's file. Null without a file: then Node's own are used. Throws OperatorError for a file that
 * cannot be read or holds anything but certificates.
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
  for (const [index, certificate] of found.entries()) {
    try {
      new X509Certificate(certificate)
    } catch (error) {
      throw new OperatorError(`Certificate ${index + 1} of SPOOR_TLS_CA_FILE (${path}) cannot be read.`, {
        cause: error,
      })
    }
  }
  return found
}
