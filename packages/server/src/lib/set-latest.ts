/** Sets an entry as the latest one, and forgets the oldest ones beyond `most` entries. */
export function setLatest<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, most: number): void {
  map.delete(key)
  map.set(key, value)
  for (const first of map.keys()) {
    if (map.size <= most) return
    map.delete(first)
  }
}
