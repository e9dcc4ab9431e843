import type { View as WireView } from '@spoor/contract/schemas/view'
import type { View } from '../ports/views/view.ts'
import { toWireTime } from './to-wire.ts'

export function toView(view: View): WireView {
  return {
    id: view.id,
    name: view.name,
    query: view.query,
    display: view.display,
    created_by: view.createdBy,
    created_at: toWireTime(view.createdAt),
    updated_at: toWireTime(view.updatedAt),
  }
}
