import { ListQuery } from '@spoor/contract/schemas/list-query'
import type { Monitor, MonitorList } from '@spoor/contract/schemas/monitor'
import { Type } from 'typebox'
import { compact } from './compact.ts'
import { toQuery } from './query.ts'
import { defineTool } from './tool.ts'

export const listMonitors = defineTool({
  name: 'list_monitors',
  description: 'The monitors: what each watches, its threshold, its state (normal or fired) and its last value.',
  readOnly: true,
  input: Type.Object({ cursor: ListQuery.properties.cursor }, { additionalProperties: false }),
  run: async (input, api) => {
    const { monitors, next_cursor } = await api.get<MonitorList>('/v1/monitors', toQuery(input))
    return { monitors: monitors.map(shortMonitor), ...compact({ next_cursor }) }
  },
})

function shortMonitor(monitor: Monitor): Record<string, unknown> {
  const { created_at: _created, updated_at: _updated, revision: _revision, filters, ...shown } = monitor
  return compact({ ...shown, filters: Object.keys(filters ?? {}).length === 0 ? null : filters })
}
