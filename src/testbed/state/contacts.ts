/** A contact (spec 1 §2); id and name are always there. */
export interface Contact {
  readonly id: number;
  readonly name: string;
  readonly phone?: string;
  readonly email?: string;
  readonly address1?: string;
  readonly address2?: string;
  /** RFC 3339. */
  readonly date?: string;
  readonly postalCode?: number;
  readonly note?: string;
}

const MAX_CONTACTS = 10_000;

/** The contacts. They start empty and end with the process. */
export class Contacts {
  readonly #byId = new Map<number, Contact>();

  get(id: number): Contact | undefined {
    return this.#byId.get(id);
  }

  create(contact: Contact): 'created' | 'exists' | 'full' {
    if (this.#byId.has(contact.id)) return 'exists';
    if (this.#byId.size >= MAX_CONTACTS) return 'full';
    this.#byId.set(contact.id, contact);
    return 'created';
  }

  /** False when there is none to replace. */
  replace(contact: Contact): boolean {
    if (!this.#byId.has(contact.id)) return false;
    this.#byId.set(contact.id, contact);
    return true;
  }

  remove(id: number): boolean {
    return this.#byId.delete(id);
  }
}
