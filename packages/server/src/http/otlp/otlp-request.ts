import { PROTOBUF_TYPE } from '@spoor/contract/otlp'
import type { FastifyRequest } from 'fastify'
import type { OtlpEncoding } from '../../traces/otlp/otlp-encoding.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Takes exports of OpenTelemetry: nothing else (`only`), or beside other requests (`shared`). */
    otlp?: 'only' | 'shared'
  }
  interface FastifyRequest {
    /** The encoding of an export, in which errors are answered; null for any other request. */
    otlp: OtlpEncoding | null
  }
}

/** The exporters of OpenTelemetry in all languages, and the Collector. */
const EXPORTER = /\botel\b|opentelemetry/i

type Head = Pick<FastifyRequest, 'headers'> & { readonly routeOptions: Pick<FastifyRequest['routeOptions'], 'config'> }

/**
 * What is known of an export before its body is read. On a shared route, JSON may be ours: then the body decides,
 * unless an exporter sends it.
 */
export function otlpEncodingOf({ headers, routeOptions }: Head): OtlpEncoding | null {
  const { otlp } = routeOptions.config
  if (otlp === undefined) return null
  const [type = ''] = (headers['content-type'] ?? '').toLowerCase().split(';')
  if (type.trim() === PROTOBUF_TYPE) return 'protobuf'
  return otlp === 'only' || isExporter(headers) ? 'json' : null
}

export function isExporter(headers: FastifyRequest['headers']): boolean {
  return EXPORTER.test(headers['user-agent'] ?? '')
}
