import type { ProjectId } from '@spoor/contract/ids'
import { EXPORT_BYTES, PROTOBUF_TYPE } from '@spoor/contract/otlp'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { OtlpEncoding } from '../../traces/otlp/otlp-encoding.ts'
import { requireMediaType } from '../bodies/media-types.ts'
import { exportRules } from '../bodies/read-rules.ts'
import { withBody } from '../bodies/request-body.ts'
import type { HttpDependencies } from '../kernel/dependencies.ts'
import { type RejectedName, sendExportResponse } from './otlp-answers.ts'

interface ExportInput {
  readonly projectId: ProjectId
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

type Signal = 'spans' | 'logs'

const REJECTED: Readonly<Record<Signal, RejectedName>> = { spans: 'rejectedSpans', logs: 'rejectedLogRecords' }

export interface ExportHandler {
  /** Reads the body of an export and answers it. */
  readonly read: (input: ExportInput, signal?: Signal) => Promise<FastifyReply>
  /** Answers an export whose body was read. */
  readonly take: (input: ExportInput, encoding: OtlpEncoding, body: Buffer, signal?: Signal) => Promise<FastifyReply>
}

export function exportHandler(dependencies: HttpDependencies): ExportHandler {
  const { traces } = dependencies
  const rules = exportRules(dependencies)
  const take: ExportHandler['take'] = async ({ projectId, reply }, encoding, body, signal = 'spans') => {
    const form = signal === 'logs' ? (`${encoding} logs` as const) : encoding
    const { count, reasons } = await traces.takeExport({ projectId, body, encoding: form })
    return sendExportResponse(reply, encoding, REJECTED[signal], count, reasons.join('; '))
  }
  return {
    take,
    read: (input, signal) => {
      const type = requireMediaType(input.request.headers, PROTOBUF_TYPE, 'application/json')
      const encoding = type === PROTOBUF_TYPE ? 'protobuf' : 'json'
      return withBody(input.request, EXPORT_BYTES, rules, (body) => take(input, encoding, body, signal))
    },
  }
}
