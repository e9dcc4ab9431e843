import type { ProjectId, TraceId } from '@spoor/contract/ids'
import { OTEL_TRACE_ID } from '@spoor/contract/otlp'
import { placeNotFound } from '../../ports/media/trace-lookup.ts'
import type { UploadPart } from '../../media/use-cases.ts'
import type { TraceUseCases } from '../../traces/use-cases.ts'

type Traces = Pick<TraceUseCases, 'findOtelTrace'>

/** The id of a trace that may be named by the id of OpenTelemetry. Throws `not_found` for an unknown one of those. */
export async function ownTraceId<Name extends string>(
  traces: Traces,
  projectId: ProjectId,
  name: Name,
): Promise<Name | TraceId> {
  if (!OTEL_TRACE_ID.test(name)) return name
  const id = await traces.findOtelTrace(projectId, name)
  if (id === null) throw placeNotFound('/trace_id', `There is no trace ${name} in this project.`)
  return id
}

/** The parts of a form, with the id of its trace. */
export async function* withOwnTraceId(
  traces: Traces,
  projectId: ProjectId,
  parts: AsyncIterable<UploadPart>,
): AsyncGenerator<UploadPart> {
  for await (const part of parts) {
    if (part.type !== 'field' || part.name !== 'trace_id' || part.value === null) yield part
    else yield { ...part, value: await ownTraceId(traces, projectId, part.value) }
  }
}
