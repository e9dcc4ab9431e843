import type { Dashboard as WireDashboard } from '@spoor/contract/schemas/dashboard'
import type { View as WireView } from '@spoor/contract/schemas/view'
import type { Dashboard, Saved, View } from '../ports/views/view.ts'
import { toWireTime } from './to-wire.ts'

/** A view always has an author. */
export function toView(view: View): WireView {
  return { ...head(view), ...view.content, created_by: view.createdBy ?? '', ...times(view) }
}

export function toDashboard(dashboard: Dashboard): WireDashboard {
  return { ...head(dashboard), ...dashboard.content, created_by: dashboard.createdBy, ...times(dashboard) }
}

function head({ id, name }: Saved) {
  return { id, name }
}

function times({ createdAt, updatedAt }: Saved) {
  return { created_at: toWireTime(createdAt), updated_at: toWireTime(updatedAt) }
}
