/** Amounts by name, and their total. A name whose amount is zero takes no memory. */
export class Tally {
  readonly #amounts = new Map<string, number>()
  total = 0

  of(name: string): number {
    return this.#amounts.get(name) ?? 0
  }

  add(name: string, by: number): void {
    this.total += by
    const amount = this.of(name) + by
    if (amount === 0) this.#amounts.delete(name)
    else this.#amounts.set(name, amount)
  }
}
