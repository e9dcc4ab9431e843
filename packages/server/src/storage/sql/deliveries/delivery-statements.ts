import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite'

const DUE_COLUMNS = 'd.id, d.type, d.attempts, d.schedule_started_at, d.step, d.step_due_at, e.id AS event_id, e.body'
const ROW_COLUMNS = `d.place, d.id, d.type, d.status, d.reason, d.created_at, d.due_at, d.attempts, d.last_response_status, d.last_error,
  d.last_attempt_at, d.finished_at, e.id AS event_id, e.project_id`

const SQL = {
  readState: 'SELECT position, place_lead FROM state',
  setPosition: 'UPDATE state SET position = max(coalesce(position, 0), ?)',
  resetPosition: 'UPDATE state SET position = ?',
  setPlaceLead: 'UPDATE state SET place_lead = ?',
  lastPlace: 'SELECT max(place) AS place FROM deliveries',
  countPending: 'SELECT count(*) AS count FROM deliveries INDEXED BY deliveries_by_start WHERE status = 0',

  readLanes: 'SELECT lane, webhook_id, failing_since, failures_in_a_row FROM lanes',
  insertLane: 'INSERT INTO lanes (webhook_id, failures_in_a_row) VALUES (?, 0)',
  setHealth: 'UPDATE lanes SET failing_since = ?, failures_in_a_row = ? WHERE lane = ?',
  deleteLane: 'DELETE FROM lanes WHERE lane = ?',

  findEvent: 'SELECT event FROM events WHERE id = ?',
  insertEvent:
    'INSERT INTO events (id, project_id, type, created_at, deliveries, body, trace_id) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING',
  addToEvent: 'UPDATE events SET deliveries = deliveries + ? WHERE event = ?',
  eventsOfTrace: 'SELECT event FROM events INDEXED BY events_by_trace WHERE trace_id = ? LIMIT ?',
  forgetEvent: "UPDATE events SET body = x'', trace_id = NULL WHERE event = ?",
  deleteBareEvent: 'DELETE FROM events WHERE event = ? AND deliveries <= 0',

  insertDelivery: `INSERT INTO deliveries (place, id, lane, event, type, status, created_at, due_at, schedule_started_at, step, attempts)
    VALUES (?, ?, ?, ?, ?, 0, ?, ?, ?, 0, 0) ON CONFLICT (id) DO NOTHING`,
  deleteDelivery: 'DELETE FROM deliveries WHERE place = ?',
  findPlace: 'SELECT place, lane, status, attempts FROM deliveries WHERE id = ?',

  firstPending:
    'SELECT place, due_at FROM deliveries INDEXED BY deliveries_due WHERE lane = ? AND status = 0 AND place <= ? ORDER BY due_at, place LIMIT ?',
  readDue: `SELECT ${DUE_COLUMNS} FROM deliveries d JOIN events e USING (event) WHERE d.place = ?`,
  move: `UPDATE deliveries SET status = ?, reason = ?, due_at = ?, schedule_started_at = ?, step = ?, step_due_at = ?, attempts = attempts + 1,
    last_response_status = ?, last_error = ?, last_attempt_at = ?, finished_at = ? WHERE place = ? AND status = ? AND attempts = ?`,
  noteAttempt:
    'UPDATE deliveries SET attempts = attempts + 1, last_response_status = ?, last_error = ?, last_attempt_at = ? WHERE place = ?',
  insertAttempt: 'INSERT INTO attempts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  settle:
    'UPDATE deliveries SET status = ?, reason = ?, due_at = NULL, step_due_at = NULL, finished_at = ? WHERE place = ? AND status = 0',
  triedBefore: `SELECT place, lane FROM deliveries INDEXED BY deliveries_tried
    WHERE status = 0 AND (step > 0 OR step_due_at IS NOT NULL) AND schedule_started_at < ? ORDER BY schedule_started_at, place LIMIT ?`,
  readTimes: `SELECT place, lane, due_at, schedule_started_at, step, step_due_at FROM deliveries INDEXED BY deliveries_by_start
    WHERE status = 0 AND (schedule_started_at, place) > (?, ?) ORDER BY schedule_started_at, place LIMIT ?`,
  setTimes: 'UPDATE deliveries SET due_at = ?, schedule_started_at = ?, step_due_at = ? WHERE place = ?',
  pendingOfEvent: 'SELECT place, lane FROM deliveries INDEXED BY deliveries_by_event WHERE event = ? AND status = 0',

  readRow: `SELECT ${ROW_COLUMNS} FROM deliveries d JOIN events e USING (event) WHERE d.place = ?`,
  findRow: `SELECT ${ROW_COLUMNS}, d.lane, e.body FROM deliveries d JOIN events e USING (event) WHERE d.id = ?`,
  readAttempts: 'SELECT * FROM attempts WHERE delivery = ? ORDER BY number',
  restart: `UPDATE deliveries SET status = 0, reason = NULL, due_at = ?, schedule_started_at = ?, step = 0, step_due_at = NULL, finished_at = NULL
    WHERE place = ? AND EXISTS (SELECT 1 FROM events e WHERE e.event = deliveries.event AND length(e.body) > 0)`,
  finishedBefore: `SELECT place, event FROM deliveries INDEXED BY deliveries_finished
    WHERE finished_at IS NOT NULL AND finished_at < ? ORDER BY finished_at, place LIMIT ?`,
  ofLane: 'SELECT place, event, status FROM deliveries INDEXED BY deliveries_by_lane WHERE lane = ? LIMIT ?',
  countPages: 'SELECT freelist_count AS free, page_count AS pages FROM pragma_freelist_count, pragma_page_count',
  deleteAttempts: 'DELETE FROM attempts WHERE delivery = ?',
} as const

export type DeliveryStatements = { readonly [name in keyof typeof SQL]: StatementSync }

/**
 * The statements with a fixed text, compiled once. Rows of `firstPending` and `readDue` are arrays: twice as fast, and
 * they are read for each delivery.
 */
export function prepareDeliveries(database: DatabaseSync): DeliveryStatements {
  const entries = Object.entries(SQL).map(([name, sql]) => [name, database.prepare(sql)])
  const statements = Object.fromEntries(entries) as DeliveryStatements
  for (const often of [statements.firstPending, statements.readDue]) often.setReturnArrays(true)
  return statements
}

/** A row that is an array. */
export function values(row: unknown): readonly SQLOutputValue[] {
  return row as readonly SQLOutputValue[]
}
