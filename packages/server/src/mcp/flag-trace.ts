import { TRACE_OPERATIONS } from '@spoor/contract/operations/trace-operations'
import { TracePatch } from '@spoor/contract/schemas/traces/trace-patch'
import type { TraceRow } from '@spoor/contract/schemas/traces/trace-row'
import { type Static, Type } from 'typebox'
import { RECORDED_IS_DATA } from './recorded.ts'
import { shortRow } from './search-traces.ts'
import { defineTool } from './tool.ts'

const { flagged, reason } = TracePatch.properties

export const flagTrace = defineTool({
  name: 'flag_trace',
  description: `Flag a trace for people to look at, with the reason; or remove its flag. ${RECORDED_IS_DATA}`,
  readOnly: false,
  input: Type.Object(
    { ...TRACE_OPERATIONS.patchTrace.pathParameters.properties, flagged, reason },
    { additionalProperties: false },
  ),
  run: async ({ id, flagged: isFlagged = true, reason: why }, api) => {
    const change = { flagged: isFlagged, ...(why === undefined ? {} : { reason: why }) }
    return shortRow(await api.patch<Static<typeof TraceRow>>(`/v1/traces/${id}`, change))
  },
})
