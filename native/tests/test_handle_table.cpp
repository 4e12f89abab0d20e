// A dead handle never lives again, however often its slot has been used.
#include <set>

#include "runtime/handles.h"
#include "tests/expect.h"

using namespace acltwin;

namespace {

struct Thing {
    static constexpr Kind kKind = Kind::scalar;
    int number = 0;
};

constexpr int kGenerations = 3;

void no_handle_comes_back() {
    const Lock lock = lock_runtime();
    HandleTable<Thing> table(kGenerations);
    std::set<void*> seen;
    for (int i = 0; i < 1000; ++i) {
        void* handle = table.add(std::make_shared<Thing>(), lock);
        expect(seen.insert(handle).second, "a handle nobody has had");
        expect(table.find(handle, lock) != nullptr, "a fresh handle is alive");
        expect(table.remove(handle, lock) != nullptr, "it can be removed");
        expect(table.remove(handle, lock) == nullptr, "but only once");
        for (void* dead : seen) expect(table.find(dead, lock) == nullptr, "a dead handle stays dead");
    }
}

void the_largest_generation_fits() {
    const HandleParts parts{uint8_t(Kind::executor), HandleParts::kGenerationMask, HandleParts::kSlotMask};
    const HandleParts again = HandleParts::of(parts.pack());
    expect(again.kind == parts.kind && again.generation == parts.generation && again.slot == parts.slot,
           "the largest parts come back");
}

void some_are_removed_together() {
    const Lock lock = lock_runtime();
    HandleTable<Thing> table;
    void* handles[10];
    for (int i = 0; i < 10; ++i) {
        auto thing = std::make_shared<Thing>();
        thing->number = i;
        handles[i] = table.add(thing, lock);
    }
    const auto odd = [](const Thing& thing) { return thing.number % 2 == 1; };
    expect(table.count_if(lock, odd) == 5, "5 odd things");
    expect(table.remove_if(lock, odd).size() == 5, "all of them are removed");
    expect(table.count_if(lock, odd) == 0, "none is left");
    for (int i = 0; i < 10; ++i)
        expect((table.find(handles[i], lock) == nullptr) == (i % 2 == 1), "the others live on");
}

}  // namespace

int main() {
    no_handle_comes_back();
    the_largest_generation_fits();
    some_are_removed_together();
    return 0;
}
