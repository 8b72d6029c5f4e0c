// SPDX-License-Identifier: Apache-2.0
//
// Arguments KEY=VALUE, and how a run ends that cannot go on.
#ifndef OPTIONS_H
#define OPTIONS_H

#include <cstdint>
#include <cstdlib>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

[[noreturn]] inline void fail(const std::string &what) { throw std::runtime_error(what); }

class Options {
public:
    Options(int argc, char **argv) {
        for (int i = 1; i < argc; ++i) {
            const std::string word = argv[i];
            const size_t at = word.find('=');
            if (at == std::string::npos) fail("not KEY=VALUE: " + word);
            values_[word.substr(0, at)] = word.substr(at + 1);
        }
    }
    uint64_t number(const std::string &key, uint64_t otherwise = 0) const {
        const auto found = values_.find(key);
        return found == values_.end() ? otherwise : std::strtoull(found->second.c_str(), nullptr, 10);
    }
    std::string text(const std::string &key) const {
        const auto found = values_.find(key);
        if (found == values_.end()) fail("missing: " + key);
        return found->second;
    }
    bool has(const std::string &key) const { return values_.count(key) != 0; }
    // Words with commas in between; none where there is no such key.
    std::vector<std::string> list(const std::string &key) const {
        std::vector<std::string> words;
        const auto found = values_.find(key);
        std::istringstream text(found == values_.end() ? "" : found->second);
        for (std::string word; std::getline(text, word, ',');) words.push_back(word);
        return words;
    }

private:
    std::map<std::string, std::string> values_;
};

#endif
