import { fail } from "@sveltejs/kit";
import { z } from "zod";

const items = Array.from({ length: 20 }, (_, at) => ({ id: at + 1, label: `Item number ${at + 1}` }));

export const load = ({ url }) => ({ name: url.searchParams.get("name") ?? "nobody", items });

const Fields = z.object({ a: z.coerce.number(), b: z.coerce.number(), name: z.string() });

// The request of a form with `use:enhance`, the framework's own call from a page to its server.
export const actions = {
  addUp: async ({ request }) => {
    const fields = Fields.safeParse(Object.fromEntries(await request.formData()));
    if (!fields.success) return fail(422);
    const { a, b, name } = fields.data;
    return { sum: a + b, name };
  },
};
