import { type ClusterSetId, kindOfSet, projectOfSet } from '../../ports/clusters/cluster-set.ts'
import type { ClusterTraces } from '../../ports/clusters/cluster-traces.ts'
import type { StepPart, TraceVersion } from '../worker/messages.ts'

const IN_METADATA = 'metadata'

/**
 * At most 1,000 traces with their steps, in parts of about a megabyte; those without a step are the last part.
 * `inputPath`: see ProjectSettings.
 */
export async function* stepParts(
  source: Pick<ClusterTraces, 'steps' | 'headings'>,
  setId: ClusterSetId,
  traces: readonly TraceVersion[],
  inputPath: string | null,
): AsyncGenerator<StepPart> {
  const projectId = projectOfSet(setId)
  const [root, ...path] = inputPath?.split('.') ?? []
  const inMetadata = root === IN_METADATA ? path : null
  const inMessages = inputPath === null || root === IN_METADATA ? null : path
  const left = new Map(traces.map(({ id, version }) => [id, { id, version }]))
  const withHeadings = async (part: readonly TraceVersion[]) => {
    const ids = part.map(({ id }) => id)
    const headings = await source.headings(projectId, ids, inMetadata)
    return part.map(({ id, version }) => ({ id, version, ...(headings.get(id) ?? NONE) }))
  }
  for await (const steps of source.steps(projectId, [...left.keys()], kindOfSet(setId) === 'failures')) {
    const ids = [...new Set(steps.map(([traceId]) => traceId))]
    const part = ids.flatMap((id) => left.get(id) ?? [])
    for (const id of ids) left.delete(id)
    yield { traces: await withHeadings(part), steps, inputPath, inMessages }
  }
  if (left.size > 0) yield { traces: await withHeadings([...left.values()]), steps: [], inputPath, inMessages }
}

/** Of a trace that was deleted meanwhile. */
const NONE = { name: '', input: null }
