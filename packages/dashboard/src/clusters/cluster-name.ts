/** The displayed name; a cluster of traces without words has none. */
export function clusterName({ label }: { readonly label: string }): string {
  return label.trim() === '' ? 'Unnamed' : label
}
