export const load = () => ({ items: Array.from({ length: 20 }, (_, at) => `Item ${at + 1} of the list`) });
