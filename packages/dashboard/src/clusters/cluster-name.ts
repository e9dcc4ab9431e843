/** What a cluster is called on the screen: traces without words make one without a name. */
export function clusterName({ label }: { readonly label: string }): string {
  return label.trim() === '' ? 'Unnamed' : label
}
